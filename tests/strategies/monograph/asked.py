"""A formulary of 24 invented drugs, and questions about it in the words of many askers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# Near names stand beside each other on purpose: a question for one must not be answered by the other.
DRUGS = [
    ("BELTOXACIN", "J01MA71", "Belquin, Toxaben"),
    ("BELTOZACIN", "J01MA72", "Zacinor"),
    ("CARVISOLOL", "C07AG71", "Carvipress, Visolan"),
    ("CARVISONOL", "C07AG72", "Sonopress"),
    ("DEXTAMIN SULFAT", "R03AC71", "Airdex"),
    ("DEXTAMIN CLORID", "R03AC72", "Clodex"),
    ("ESOTIDIN", "A02BC71", "Esogast"),
    ("FLUMEZOL", "J02AC71", "Mezocan, Fungiset"),
    ("GLIBATORID", "A10BB71", "Glibaron"),
    ("HEPALOSIN", "B01AB71", "Losipar"),
    ("IMITRAZEPAM", "N05BA71", "Calmitra"),
    ("KETORIFEN", "M01AB71", "Rifenol, Ketodol"),
    ("LOSETAMID", "N03AX71", "Epiloset"),
    ("METRALOXIN", "P01AB71", "Loximet"),
    ("NIFEDORAN", "C08CA71", "Nifedoral"),
    ("OXYBUTALIN", "G04BD71", "Uribut"),
    ("PRAVOSIMAT", "C10AA71", "Simalip"),
    ("QUINOPAMIL", "C01BA71", "Pamilor"),
    ("RIVOMYCIN", "J01FA71", "Rivocin"),
    ("SULFATRIN", "J01EE71", "Trinosul"),
    ("TETRAVALIN", "J01AA71", "Valicyn"),
    ("URSOLATAT", "A05AA71", "Ursogal"),
    ("VALPHENIT", "N03AG71", "Phenival"),
    ("VITAMIN K VÀ CÁC CHẤT CÙNG LOẠI", "B02BA71", "Vikamin"),
]
_INDICATIONS = [
    "Nhiễm khuẩn tiết niệu. Viêm bể thận. Viêm tuyến tiền liệt.",
    "Tăng huyết áp. Đau thắt ngực. Suy tim ổn định.",
    "Hen phế quản. Co thắt phế quản do gắng sức.",
    "Trào ngược dạ dày thực quản. Loét tá tràng.",
    "Đái tháo đường typ 2 khi chế độ ăn không đủ.",
    "Huyết khối tĩnh mạch sâu. Phòng tắc mạch sau mổ.",
    "Động kinh cục bộ. Cơn co giật toàn thể.",
    "Đau cấp sau phẫu thuật. Viêm khớp dạng thấp.",
]
_HARM = [
    "Buồn nôn, tiêu chảy, phát ban.",
    "Nhịp chậm, mệt mỏi, lạnh đầu chi.",
    "Run tay, đánh trống ngực.",
    "Nhức đầu, chóng mặt.",
]


def book() -> str:
    """The text; dosage sections are several chunks long, and each dose stands once."""
    return "\n\n".join(_monograph(number, *drug) for number, drug in enumerate(DRUGS))


def _monograph(number: int, name: str, code: str, brands: str) -> str:
    shown, other = name.capitalize(), DRUGS[(number + 7) % len(DRUGS)][0].capitalize()
    international = f"{shown}e" if " " not in name else shown
    about = (
        f"{shown} gắn vào thụ thể đích và làm giảm hoạt tính của nó. Liều uống được hấp thu {number + 40}%."
        f" Ở trẻ em thể tích phân bố lớn hơn người lớn. Người suy thận có nửa đời kéo dài {number + 5} giờ."
        f" Một nghiên cứu so sánh {shown} với {other} ở phụ nữ mang thai và cho con bú chưa hoàn tất."
    )
    sections = {
        "Dạng thuốc và hàm lượng": f"Viên nén {number + 10} mg; ống tiêm {number + 2} mg/ml.",
        "Dược lý và cơ chế tác dụng": about,
        "Chỉ định": _INDICATIONS[number % 8],
        "Chống chỉ định": f"Mẫn cảm với {shown}. Bệnh gan tiến triển. Trẻ dưới {number % 5 + 1} tuổi.",
        "Thận trọng": f"Người lái xe cần biết thuốc gây buồn ngủ. Đo điện giải {number % 4 + 1} tuần một lần."
        " Khi phải tăng liều ở người cao tuổi, xem chức năng thận.",
        "Thời kỳ mang thai": f"{shown} qua được nhau; chỉ cho dùng khi lợi ích lớn hơn nguy cơ, sau tuần thứ {number + 4}.",
        "Thời kỳ cho con bú": f"Tìm thấy trong sữa; nên ngừng {number % 6 + 1} ngày.",
        "Tác dụng không mong muốn (ADR)": f"Thường gặp, ADR > 1/100\n\n{_HARM[number % 4]}\n\nHiếm gặp, ADR < 1/1 000\n\n"
        f"Sốc phản vệ, hoại tử da ({number + 1} ca).",
        "Hướng dẫn cách xử trí ADR": f"Ngừng {shown}, cho kháng histamin; phù nặng thì tiêm adrenalin {number % 5 + 1} lần.",
        "Liều lượng và cách dùng": _doses(number, shown),
        "Tương tác thuốc": f"{other} làm tăng nồng độ của {shown}. Rượu làm tăng buồn ngủ. Thuốc kháng acid làm giảm hấp thu;"
        f" cách nhau {number % 3 + 2} giờ.",
        "Độ ổn định và bảo quản": f"Dưới {20 + number % 10} độ C, tránh ẩm. Dung dịch đã pha bền {number % 7 + 1} ngày"
        " trong ngăn mát.",
        "Tương kỵ": f"Không cho vào chung một ống với heparin hay dung dịch có calci ({number + 1}).",
        "Quá liều và xử trí": f"Lơ mơ, hạ huyết áp, thở chậm. Than hoạt trong {number % 4 + 1} giờ đầu; không có chất đối kháng.",
        "Thông tin quy chế": f"Phải có đơn của thầy thuốc; bảng {'ABC'[number % 3]}.",
    }
    fields = [
        f"Tên chung quốc tế: {international}.",
        f"Mã ATC: {code}." if number != 9 else "Mã ATC: Chưa có.",
        f"Loại thuốc: Thuốc hư cấu nhóm {number % 8}.",
        f"Tên thương mại: {brands}.",
    ]
    return "\n\n".join([name, *fields, *(f"{heading}\n\n{text}" for heading, text in sections.items())])


_TOPICS = ["Thể cấp", "Thể mạn", "Phòng tái phát"]
_PEOPLE = ["Người lớn", "Trẻ em từ 6 đến 12 tuổi", "Trẻ sơ sinh", "Người cao tuổi"]
_CLEARANCE = ["Clcr dưới 20 ml/phút", "Clcr từ 20 đến 50 ml/phút"]
_FILL = "Uống vào một giờ cố định, cùng hoặc không cùng thức ăn. Nếu sau hai tuần chưa đáp ứng thì xem lại chẩn đoán trước."


def dose(number: int, topic: int, person: int) -> str:
    """The one sentence with that dose; person 4 and 5 are the two clearances."""
    often, most = person % 3 + 1, f"{number + 20},{person}"
    return f"Cho {number + 3},{topic}{person} mg/kg một lần, ngày {often} lần, tối đa {most} mg trong ngày."


def _doses(number: int, shown: str) -> str:
    parts = [f"Uống nguyên viên {shown} với nhiều nước, không nhai."]
    for topic, title in enumerate(_TOPICS):
        parts.append(f"{title}:")
        parts += [f"{label}: {dose(number, topic, at)} {_FILL}" for at, label in enumerate(_PEOPLE)]
        parts.append("Suy thận:")
        parts += [f"{label}: {dose(number, topic, 4 + at)} {_FILL}" for at, label in enumerate(_CLEARANCE)]
    return "\n\n".join(parts)


@dataclass(frozen=True)
class Asked:
    """A question, the drug (by its place in `DRUGS`) and section that answer it, and of a dose the sentence."""

    question: str
    drug: int
    key: str
    quote: str = ""


_TEXT = """
[thoi_ky_mang_thai]
BELTOXACIN: bà bầu uống Beltoxacin được không
CARVISONOL: Đang có thai mà lỡ dùng carvisonol có sao không?
FLUMEZOL: ba bau dung flumezol dc khong
IMITRAZEPAM: Imitrazepam ảnh hưởng thế nào đến thai nhi?
LOSETAMID: me bau xai losetamid
[thoi_ky_cho_con_bu]
ESOTIDIN: Mẹ đang cho bé bú có uống esotidin được không?
KETORIFEN: ketorifen co vao sua me khong
RIVOMYCIN: Nuôi con bằng sữa mẹ thì dùng Rivomycin ra sao
VALPHENIT: cho con bu dung valphenit
[tac_dung_khong_mong_muon]
NIFEDORAN: Uống nifedoran hay bị phản ứng phụ gì?
OXYBUTALIN: tac dung phu cua oxybutalin
PRAVOSIMAT: Pravosimat có hại gì không
GLIBATORID: glibatorid gây ra những tác dụng ngoại ý nào
[qua_lieu_va_xu_tri]
QUINOPAMIL: Lỡ uống quá nhiều Quinopamil thì phải làm sao?
SULFATRIN: ngo doc sulfatrin
TETRAVALIN: Có thuốc giải độc cho tetravalin không
URSOLATAT: Bé uống nhầm cả vỉ ursolatat
HEPALOSIN: qua lieu hepalosin
[do_on_dinh_va_bao_quan]
METRALOXIN: Cất metraloxin ở đâu, có phải để tủ lạnh không?
BELTOZACIN: han su dung beltozacin sau khi mo nap
DEXTAMIN SULFAT: Dextamin sulfat bảo quản thế nào?
DEXTAMIN CLORID: dextamin clorid để ngoài nhiệt độ phòng được mấy ngày
[tuong_tac_thuoc]
CARVISOLOL: Carvisolol uống chung với rượu được không
ESOTIDIN: esotidin tuong tac voi thuoc nao
FLUMEZOL: Đang uống thuốc khác, dùng cùng lúc với Flumezol có sao?
LOSETAMID: Thuốc kháng acid ảnh hưởng đến thuốc Losetamid ra sao
[tuong_ky]
VALPHENIT: Trộn valphenit với heparin trong cùng bơm tiêm?
RIVOMYCIN: pha chung rivomycin voi dich truyen
KETORIFEN: Ketorifen tương kỵ với gì
[chong_chi_dinh]
IMITRAZEPAM: Ai không nên dùng imitrazepam?
HEPALOSIN: Trường hợp nào không được uống Hepalosin
NIFEDORAN: chong chi dinh nifedoran
TETRAVALIN: Bệnh gan thì có bị cấm dùng tetravalin không?
[chi_dinh]
OXYBUTALIN: Oxybutalin chữa bệnh gì?
QUINOPAMIL: quinopamil dung de lam gi
SULFATRIN: Công dụng của sulfatrin
URSOLATAT: Ursolatat được chỉ định trong những trường hợp nào
[than_trong]
METRALOXIN: Uống metraloxin rồi lái xe được không
BELTOXACIN: dung beltoxacin can luu y gi
PRAVOSIMAT: Khi dùng pravosimat phải theo dõi những gì?
[duoc_ly_va_co_che_tac_dung]
GLIBATORID: Cơ chế của glibatorid là gì
CARVISOLOL: nửa đời của Carvisolol ở người suy thận
BELTOZACIN: beltozacin hap thu bao nhieu phan tram
[dang_thuoc_va_ham_luong]
DEXTAMIN SULFAT: Dextamin sulfat có những dạng nào, hàm lượng bao nhiêu?
ESOTIDIN: esotidin vien bao nhieu mg
[ma_atc]
FLUMEZOL: mã ATC của flumezol
KETORIFEN: atc ketorifen
HEPALOSIN: Hepalosin đã có mã ATC chưa?
[ten_thuong_mai]
RIVOMYCIN: Biệt dược của rivomycin
LOSETAMID: Losetamid bán dưới tên gì?
[huong_dan_xu_tri_adr]
VALPHENIT: Xử lý tác dụng phụ của valphenit thế nào
NIFEDORAN: Nếu bị dị ứng thì làm gì khi đang dùng nifedoran
[thong_tin_quy_che]
IMITRAZEPAM: Imitrazepam có cần đơn không?
OXYBUTALIN: oxybutalin co phai thuoc ke don khong
[loai_thuoc]
QUINOPAMIL: Quinopamil thuộc nhóm nào
[thoi_ky_mang_thai]
CARVISOLOL: Có bầu uống Visolan được không
GLIBATORID: A10BB71 khi mang thai
BELTOXACIN: bầu dùng betoxacin
[tuong_tac_thuoc]
FLUMEZOL: Mezocan tương tác thuốc gì
SULFATRIN: uong sulphatrin voi ruou
VITAMIN K VÀ CÁC CHẤT CÙNG LOẠI: vitamin k kết hợp với thuốc nào
[qua_lieu_va_xu_tri]
VALPHENIT: quá liều Phenival
LOSETAMID: N03AX71 quá liều
QUINOPAMIL: ngộ độc quinopanil
[do_on_dinh_va_bao_quan]
PRAVOSIMAT: Simalip cất ở đâu
URSOLATAT: bao quan ursolatate
TETRAVALIN: bảo quản tetraval
"""


def _questions() -> Iterator[Asked]:
    names, key = [name for name, _, _ in DRUGS], ""
    for line in _TEXT.strip().splitlines():
        if line.startswith("["):
            key = line.strip("[]")
        else:
            drug, _, question = line.partition(": ")
            yield Asked(question, names.index(drug), key)


_DOSE = "lieu_luong_va_cach_dung"
# Those that ask for a dose want the right sentence among eighteen.
QUESTIONS = [
    *_questions(),
    Asked("Người lớn thể cấp dùng Beltoxacin liều bao nhiêu?", 0, _DOSE, dose(0, 0, 0)),
    Asked("trẻ sơ sinh phòng tái phát carvisolol uống mấy lần", 2, _DOSE, dose(2, 2, 2)),
    Asked("lieu esotidin cho tre em 6 den 12 tuoi the man", 6, _DOSE, dose(6, 1, 1)),
    Asked("Chỉnh liều ketorifen khi Clcr dưới 20 ml/phút, thể mạn", 11, _DOSE, dose(11, 1, 4)),
    Asked("Người cao tuổi thể mạn uống rivomycin thế nào?", 18, _DOSE, dose(18, 1, 3)),
    Asked("suy than clcr tu 20 den 50 the cap, valphenit ngay may lan", 22, _DOSE, dose(22, 0, 5)),
    Asked("cách dùng Glibaron cho người lớn, phòng tái phát", 8, _DOSE, dose(8, 2, 0)),
    Asked("Bé sơ sinh bị thể cấp tiêm metraloxin bao nhiêu mg", 13, _DOSE, dose(13, 0, 2)),
]
