"""Makes the three example PDFs beside this file. Everything in them is invented; CC0-1.0.

Needs reportlab. The fonts are named on the command line, so that no path of one machine is kept here:

    python examples/make_pdfs.py --serif GentiumBookPlus-Regular.ttf --serif-bold GentiumBookPlus-Bold.ttf \
        --serif-italic GentiumBookPlus-Italic.ttf --sans Carlito-Regular.ttf --sans-bold Carlito-Bold.ttf \
        --han HanaMinA.ttf --han-bold wqy-zenhei.ttc

The same fonts and the same reportlab give the same bytes again.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from pathlib import Path

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.pagesizes import A4, A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    CondPageBreak,
    Flowable,
    Frame,
    KeepTogether,
    NextPageTemplate,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
    TableStyle,
)

HERE = Path(__file__).parent
INK = HexColor("#1a1a1a")
GREY = HexColor("#5c5c5c")
RULE = HexColor("#8a8a8a")
TEAL = HexColor("#0f4c5c")
WINE = HexColor("#7a2335")
PALE = HexColor("#e8eef0")


def _bold(text: str) -> str:
    """Turns **x** into bold and *x* into italic mark-up."""
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", text)


def _blocks(text: str) -> Iterable[str]:
    """Yields the blank-line separated blocks of a text, each on one line (a table keeps its lines)."""
    for block in re.split(r"\n\s*\n", text.strip()):
        yield block if block.startswith("|") else " ".join(block.split())


def _rows(block: str) -> list[list[str]]:
    """Reads a block of `| a | b |` lines."""
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in block.splitlines()]


class _Book(BaseDocTemplate):
    """A document template that notes on which page each marked flowable begins."""

    def __init__(self, path: Path, **options: object) -> None:
        super().__init__(str(path), invariant=1, pageCompression=1, initialFontName="Serif", author="pecia examples", **options)
        self.seen: dict[str, int] = {}

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802
        """Notes the page of a flowable that carries a mark."""
        mark = getattr(flowable, "mark", None)
        if mark:
            self.seen.setdefault(mark, self.page)


def _frame(x: float, y: float, width: float, height: float) -> Frame:
    return Frame(x, y, width, height, leftPadding=0, rightPadding=0, topPadding=0, bottomPadding=0)


# --- 1. So tay thuoc -------------------------------------------------------------------------------------------

HANDBOOK = "Sổ tay thuốc Cù Lao Sậy"

ABBREVIATIONS = """
**ADR** | Phản ứng có hại của thuốc
**ATC** | Hệ thống phân loại Giải phẫu – Điều trị – Hóa học
**Clcr** | Độ thanh thải creatinin
**CYP** | Cytochrom P450
**ECG** | Điện tâm đồ
**HA** | Huyết áp
**QRS** | Phức bộ khử cực thất trên ECG
**QT** | Khoảng từ đầu phức bộ QRS đến hết sóng T
"""

MONOGRAPHS = """
# ANVOCILIN

@ Tên chung quốc tế: Anvocillin.

@ Mã ATC: J01CA97.

@ Loại thuốc: Kháng sinh nhóm beta-lactam, phổ trung bình.

## Dạng thuốc và hàm lượng

Viên nang 250 mg, 500 mg. Bột pha hỗn dịch uống 125 mg/5 ml, lọ 60 ml. Bột pha tiêm lọ 1 g kèm ống nước cất 5 ml.

## Dược lý

Anvocilin ức chế tổng hợp vách tế bào vi khuẩn ở giai đoạn phân chia, do đó có tác dụng diệt khuẩn đối với
phần lớn cầu khuẩn Gram dương và một số trực khuẩn Gram âm thường gặp ở đường hô hấp trên.

Thuốc hấp thu khoảng 70% qua đường uống; thức ăn làm chậm nhưng không làm giảm tổng lượng thuốc hấp thu. Nồng độ
đỉnh trong huyết tương đạt được sau 1,5 giờ. Thời gian bán thải ở người có chức năng thận bình thường là 80 phút và
kéo dài tới 9 giờ khi Clcr dưới 10 ml/phút. Khoảng 60% liều dùng được thải trừ nguyên vẹn qua nước tiểu trong 6 giờ đầu.

## Chỉ định

Viêm họng và viêm amidan do liên cầu. Viêm tai giữa cấp ở trẻ em. Viêm phổi mắc phải ở cộng đồng mức độ nhẹ, khi
người bệnh còn uống được. Nhiễm khuẩn da và mô mềm không có ổ áp xe.

## Chống chỉ định

Người có tiền sử quá mẫn với anvocilin, với bất kỳ kháng sinh beta-lactam nào khác hoặc với một thành phần của thuốc.
Người từng vàng da ứ mật sau khi dùng anvocilin.

## Thận trọng

Hỏi kỹ tiền sử dị ứng trước liều đầu tiên. Theo dõi công thức máu và chức năng gan, thận khi điều trị kéo dài quá 10 ngày.
Người tăng bạch cầu đơn nhân nhiễm khuẩn dễ bị phát ban dạng sởi khi dùng thuốc; phát ban này không phải lúc nào cũng
là dấu hiệu của dị ứng thực sự, nhưng vẫn phải ngừng thuốc và khám lại.

## Thời kỳ mang thai

Chưa thấy tác dụng gây quái thai trên động vật. Chỉ dùng khi thật cần thiết và với liều thấp nhất có hiệu quả.

## Thời kỳ cho con bú

Thuốc bài tiết vào sữa mẹ với lượng nhỏ. Có thể cho con bú, nhưng cần theo dõi trẻ về tiêu chảy và nấm miệng.

## Liều lượng và cách dùng

**Cách dùng:** Uống trước bữa ăn 30 phút với nhiều nước. Hỗn dịch đã pha phải lắc kỹ trước mỗi lần rót.

**Người lớn:** 500 mg, cách 8 giờ một lần, trong 7 ngày. Với nhiễm khuẩn nặng có thể tăng lên 1 g, cách 8 giờ một lần;
không dùng quá 4 g trong 24 giờ.

**Trẻ em:** Từ 3 tháng đến 12 tuổi: 30 mg/kg mỗi ngày, chia làm 3 lần, tối đa 1,5 g/ngày. Trẻ dưới 3 tháng: 20 mg/kg mỗi ngày,
chia làm 2 lần, chỉ dùng tại bệnh viện.

**Suy thận:** Điều chỉnh theo độ thanh thải creatinin như bảng dưới đây; sau mỗi lần thẩm tách máu cho thêm một liều 250 mg.

| Clcr (ml/phút) | Liều | Khoảng cách |
| trên 30 | 500 mg | 8 giờ |
| 10 – 30 | 500 mg | 12 giờ |
| dưới 10 | 250 mg | 24 giờ |

## Tác dụng không mong muốn

*Thường gặp, ADR > 1/100:* tiêu chảy, buồn nôn, phát ban, ngứa.

*Ít gặp, 1/1 000 < ADR < 1/100:* nấm miệng, tăng bạch cầu ưa eosin, tăng nhẹ enzym gan.

*Hiếm gặp, ADR < 1/1 000:* phản vệ, viêm đại tràng màng giả, vàng da ứ mật, giảm tiểu cầu.

## Tương tác thuốc

Probenecid làm giảm thải trừ anvocilin qua ống thận, do đó kéo dài nồng độ thuốc trong máu. Anvocilin có thể làm tăng
tác dụng của thuốc chống đông dùng đường uống: cần đo lại thời gian prothrombin vào ngày thứ ba. Không trộn anvocilin
tiêm với aminoglycosid trong cùng một bơm tiêm vì hai thuốc làm mất tác dụng lẫn nhau.

## Quá liều và xử trí

Triệu chứng gồm nôn, tiêu chảy, kích thích và, ở người suy thận, co giật. Xử trí: ngừng thuốc, bù nước và điện giải,
điều trị triệu chứng. Anvocilin có thể được loại ra khỏi cơ thể bằng thẩm tách máu.

## Độ ổn định và bảo quản

Bảo quản viên nang ở nhiệt độ dưới 25 °C, tránh ẩm. Hỗn dịch sau khi pha giữ được 7 ngày ở nhiệt độ phòng hoặc
14 ngày trong tủ lạnh từ 2 đến 8 °C. Dung dịch tiêm phải dùng trong vòng 1 giờ sau khi pha.

# DELOPRIDON

@ Tên chung quốc tế: Delopridone.

@ Mã ATC: A03FA95.

@ Loại thuốc: Thuốc chống nôn, điều hòa nhu động dạ dày – ruột.

## Dạng thuốc và hàm lượng

Viên nén 5 mg, 10 mg. Siro 1 mg/ml, lọ 100 ml kèm cốc đong. Thuốc đạn 15 mg.

## Dược lý

Delopridon đối kháng thụ thể dopamin ở ngoại vi, làm tăng trương lực cơ thắt thực quản dưới và thúc đẩy dạ dày tống thức ăn
xuống tá tràng. Thuốc ít qua hàng rào máu – não nên hiếm khi gây hội chứng ngoại tháp ở người lớn; ở trẻ nhỏ, hàng rào này
chưa hoàn chỉnh và nguy cơ cao hơn rõ rệt.

Sinh khả dụng đường uống chỉ khoảng 20% do chuyển hóa bước đầu ở gan. Thời gian bán thải là 8 giờ. Thuốc thải trừ chủ yếu
qua phân dưới dạng chất chuyển hóa không còn hoạt tính.

## Chỉ định

Buồn nôn và nôn sau phẫu thuật hoặc do hóa trị liệu mức độ nhẹ. Chậm làm rỗng dạ dày ở người đái tháo đường. Chuẩn bị
chụp X-quang đường tiêu hóa trên.

## Chống chỉ định

Xuất huyết tiêu hóa, thủng hoặc tắc ruột cơ học. U tuyến yên tiết prolactin. Khoảng QT kéo dài trên ECG. Suy gan vừa và nặng.
Trẻ em dưới 1 tuổi.

## Thận trọng

Ghi ECG trước khi dùng cho người trên 60 tuổi hoặc người đang dùng thuốc chống loạn nhịp. Kiểm tra kali và magnesi huyết; nếu
thấp phải bù trước. Người lái tàu, lái xe cần được báo trước rằng thuốc có thể gây chóng mặt trong hai giờ đầu.

## Thời kỳ mang thai

Kinh nghiệm còn ít. Không dùng trong ba tháng đầu.

## Thời kỳ cho con bú

Không cho con bú trong khi dùng thuốc và trong 48 giờ sau liều cuối cùng.

## Liều lượng và cách dùng

**Cách dùng:** Uống trước bữa ăn 15 đến 30 phút. Không nhai viên nén. Thời gian điều trị không quá 7 ngày.

**Người lớn:** 10 mg, ngày 3 lần. Liều tối đa là 30 mg/ngày. Thuốc đạn: 15 mg, ngày 2 lần.

**Trẻ em:** Từ 1 đến 12 tuổi và cân nặng dưới 35 kg: 0,2 mg/kg mỗi lần, ngày 3 lần, dùng dạng siro. Trẻ em từ 12 tuổi
trở lên, cân nặng từ 35 kg: dùng như người lớn.

**Suy thận:** Khi Clcr dưới 30 ml/phút, giảm số lần dùng xuống còn 1 đến 2 lần mỗi ngày và theo dõi ECG hằng tuần.

**Suy gan:** Suy gan nhẹ không cần chỉnh liều; suy gan vừa và nặng: chống chỉ định.

## Tác dụng không mong muốn

*Thường gặp, ADR > 1/100:* khô miệng, nhức đầu.

*Ít gặp, 1/1 000 < ADR < 1/100:* lo âu, giảm ham muốn, căng tức vú, tiết sữa, phát ban.

*Hiếm gặp, ADR < 1/1 000:* rối loạn vận động, xoắn đỉnh, co giật ở trẻ nhỏ.

## Tương tác thuốc

Không phối hợp với thuốc ức chế mạnh CYP3A4 vì nồng độ delopridon có thể tăng gấp ba. Thuốc kháng cholinergic làm mất tác dụng
trên nhu động dạ dày. Thuốc kháng acid làm giảm hấp thu; nếu phải dùng cả hai, uống cách nhau ít nhất 2 giờ.

## Quá liều và xử trí

Người bệnh lơ mơ, mất phương hướng và có thể xuất hiện vận động bất thường. Không có thuốc giải độc đặc hiệu. Rửa dạ dày nếu
đến sớm trong giờ đầu, cho than hoạt, theo dõi ECG liên tục trong ít nhất 24 giờ.

## Độ ổn định và bảo quản

Bảo quản ở nhiệt độ 15 – 30 °C, tránh ánh sáng. Siro đã mở nắp dùng trong vòng 2 tháng. Thuốc đạn để nơi mát, không để đông đá.

# KEVRALOL

@ Tên chung quốc tế: Kevralol.

@ Mã ATC: C07AB96.

@ Loại thuốc: Thuốc chẹn beta chọn lọc, chống tăng huyết áp và chống đau thắt ngực.

## Dạng thuốc và hàm lượng

Viên nén có vạch chia 25 mg, 50 mg. Viên giải phóng kéo dài 100 mg. Ống tiêm 5 mg/5 ml.

## Dược lý

Kevralol gắn ưu tiên vào thụ thể beta-1 ở tim, làm giảm tần số và sức co bóp, do đó giảm nhu cầu oxy của cơ tim. Tính chọn lọc
mất dần khi liều vượt quá 150 mg/ngày, và ở liều này thuốc có thể gây co thắt phế quản ở người hen.

Thuốc hấp thu nhanh và gần như hoàn toàn. Khoảng một nửa liều uống được thải trừ nguyên vẹn qua thận; nửa còn lại được
chuyển hóa
ở gan thành chất không có hoạt tính. Thời gian bán thải từ 6 đến 7 giờ.

## Chỉ định

Tăng huyết áp. Đau thắt ngực ổn định. Nhịp nhanh trên thất. Dự phòng đau nửa đầu khi các thuốc khác không có hiệu quả.

## Chống chỉ định

Nhịp chậm dưới 50 lần/phút, blốc nhĩ – thất độ II và độ III, suy tim mất bù, sốc tim. Hen phế quản nặng. U tủy thượng thận
chưa được
điều trị.

## Thận trọng

Không ngừng thuốc đột ngột: giảm liều dần trong 10 đến 14 ngày, vì ngừng thuốc nhanh có thể gây cơn đau thắt ngực dữ dội
hoặc nhồi máu cơ tim. Thuốc che lấp dấu hiệu tim nhanh của hạ đường huyết ở người đái tháo đường dùng insulin. Báo cho
bác sĩ gây mê biết người bệnh đang dùng thuốc.

## Thời kỳ mang thai

Thuốc qua nhau thai và có thể làm thai chậm phát triển. Nếu phải dùng, theo dõi nhịp tim và đường huyết của trẻ trong
72 giờ đầu sau sinh.

## Thời kỳ cho con bú

Thuốc tích lũy trong sữa mẹ. Nên chọn một thuốc khác.

## Liều lượng và cách dùng

**Cách dùng:** Uống vào một giờ nhất định trong ngày, cùng hoặc ngay sau bữa ăn. Viên giải phóng kéo dài phải nuốt nguyên viên.

**Người lớn:** *Tăng huyết áp:* khởi đầu 25 mg, ngày 1 lần; sau 2 tuần có thể tăng lên 50 – 100 mg, ngày 1 lần.
*Đau thắt ngực:* 50 mg, ngày 2 lần. *Dự phòng đau nửa đầu:* 25 – 50 mg, ngày 2 lần.

**Trẻ em:** Độ an toàn và hiệu quả chưa được xác định; không dùng cho trẻ dưới 12 tuổi.

**Suy thận:** Clcr 15 – 35 ml/phút: không quá 50 mg/ngày. Clcr dưới 15 ml/phút: không quá 25 mg, cách 48 giờ một lần.
Người thẩm tách máu uống 25 mg sau mỗi lần thẩm tách, dưới sự theo dõi tại bệnh viện.

**Người cao tuổi:** Bắt đầu bằng nửa liều của người lớn.

## Tác dụng không mong muốn

*Thường gặp, ADR > 1/100:* mệt mỏi, lạnh đầu chi, nhịp chậm, chóng mặt.

*Ít gặp, 1/1 000 < ADR < 1/100:* rối loạn giấc ngủ, ác mộng, khó thở khi gắng sức, bất lực.

*Hiếm gặp, ADR < 1/1 000:* blốc nhĩ – thất, khô mắt, rụng tóc, nặng thêm bệnh vảy nến.

## Tương tác thuốc

Verapamil tiêm tĩnh mạch trong vòng 48 giờ sau khi dùng kevralol có thể gây ngừng tim. Clonidin: khi ngừng cả hai thuốc, phải
ngừng kevralol trước vài ngày. Thuốc chống viêm không steroid làm giảm tác dụng hạ huyết áp. Rượu làm tăng chóng mặt.

## Quá liều và xử trí

Nhịp chậm, tụt HA, suy tim cấp, co thắt phế quản. Xử trí: đặt người bệnh nằm đầu thấp, tiêm tĩnh mạch atropin; nếu không đáp
ứng,
dùng glucagon rồi truyền thuốc cường beta. Cân nhắc tạo nhịp tạm thời. Thẩm tách máu loại được khoảng một phần ba lượng thuốc.

## Độ ổn định và bảo quản

Để ở nhiệt độ dưới 30 °C trong bao bì gốc. Ống tiêm tránh ánh sáng; phần còn lại sau khi mở ống phải bỏ đi.

# TURAZEPIN

@ Tên chung quốc tế: Turazepine.

@ Mã ATC: N03AF98.

@ Loại thuốc: Thuốc chống co giật.

## Dạng thuốc và hàm lượng

Viên nén 100 mg, 200 mg. Hỗn dịch uống 20 mg/ml, lọ 150 ml.

## Dược lý

Turazepin kéo dài trạng thái bất hoạt của kênh natri ở tế bào thần kinh, nhờ đó ngăn các đợt phóng điện lặp lại nhanh. Thuốc
tự cảm ứng
enzym gan: thời gian bán thải lúc đầu là 30 giờ, sau 4 tuần dùng liên tục chỉ còn 14 giờ. Vì vậy nồng độ thuốc phải được đo lại
sau tháng đầu tiên, và liều thường phải tăng thêm khoảng một phần tư.

Sinh khả dụng đường uống khoảng 80%. Thuốc gắn với protein huyết tương 75% và được chuyển hóa gần như hoàn toàn ở gan; chất
chuyển hóa
epoxyd vẫn còn hoạt tính. Dưới 2% liều dùng thải trừ nguyên vẹn qua nước tiểu. Nồng độ có hiệu quả trong huyết tương thường từ
5 đến 10 mg/l; trên 13 mg/l, phần lớn người bệnh nhìn đôi.

## Chỉ định

Động kinh cục bộ có hoặc không có toàn thể hóa thứ phát. Cơn co cứng – co giật toàn thể. Đau dây thần kinh mặt kéo dài.

## Chống chỉ định

Suy tủy xương hoặc tiền sử suy tủy xương. Loạn chuyển hóa porphyrin cấp. Blốc nhĩ – thất chưa đặt máy tạo nhịp. Đang dùng hoặc
mới ngừng thuốc ức chế monoamin oxidase chưa đủ 14 ngày.

## Thận trọng

Làm công thức máu và xét nghiệm gan trước khi điều trị, sau 2 tuần, sau 6 tuần, rồi 6 tháng một lần. Ngừng thuốc ngay khi có
sốt, loét miệng,
bầm tím không rõ nguyên nhân hoặc phát ban có bọng nước. Không dùng để điều trị cơn vắng ý thức.

Kiểm tra natri huyết trong 3 tháng đầu ở người trên 65 tuổi hoặc đang dùng thuốc lợi tiểu. Người bệnh không được lái xe cho
đến khi
liều đã ổn định ít nhất 4 tuần. Khi phải ngừng thuốc, giảm liều dần trong ít nhất 3 tháng, trừ trường hợp có phản ứng nặng ở da.

## Thời kỳ mang thai

Nguy cơ dị tật ống thần kinh tăng nhẹ. Không tự ý ngừng thuốc; bổ sung acid folic trước khi có thai và trong
12 tuần đầu.

## Thời kỳ cho con bú

Có thể cho con bú nếu theo dõi được trẻ về ngủ gà và bú kém.

## Liều lượng và cách dùng

**Cách dùng:** Uống trong bữa ăn. Lắc kỹ hỗn dịch; không uống cùng nước bưởi.

**Người lớn:** Khởi đầu 100 mg, ngày 2 lần; mỗi tuần tăng 200 mg/ngày cho đến khi có đáp ứng. Liều duy trì thường là
600 – 1 000 mg/ngày, chia 2 đến 3 lần.

**Trẻ em:** Dưới 6 tuổi: 10 mg/kg/ngày, chia 3 lần, dùng hỗn dịch. Từ 6 đến 12 tuổi: khởi đầu 100 mg/ngày, mỗi tuần tăng
100 mg/ngày, không quá 800 mg/ngày.

**Suy thận:** Không cần chỉnh liều khi Clcr từ 10 ml/phút trở lên. Dưới 10 ml/phút: dùng 75% liều thường dùng.

## Tác dụng không mong muốn

*Thường gặp, ADR > 1/100:* ngủ gà, chóng mặt, nhìn đôi, mất điều hòa, buồn nôn, giảm natri huyết.

*Ít gặp, 1/1 000 < ADR < 1/100:* giảm bạch cầu thoáng qua, tăng enzym gan, táo bón.

*Hiếm gặp, ADR < 1/1 000:* mất bạch cầu hạt, hoại tử thượng bì nhiễm độc, viêm gan.

## Tương tác thuốc

Turazepin làm giảm nồng độ của thuốc tránh thai dạng uống, thuốc chống đông và nhiều thuốc chống co giật khác. Kháng sinh
macrolid và nước bưởi
làm tăng nồng độ turazepin tới mức gây độc. Người dùng thuốc tránh thai dạng uống cần thêm một biện pháp khác trong suốt
thời gian điều trị và 4 tuần sau khi ngừng.

## Quá liều và xử trí

Rung giật nhãn cầu, lú lẫn, co giật, hôn mê, ức chế hô hấp; QRS giãn rộng trên ECG. Giữ thông đường thở, cho than hoạt nhiều
lần,
theo dõi tim mạch cho đến khi nồng độ thuốc giảm hai lần liên tiếp. Lợi tiểu cưỡng bức không có ích.

Khi uống lượng lớn, nồng độ đỉnh có thể đến muộn sau 24 đến 72 giờ vì thuốc hấp thu chậm; do đó không cho người bệnh ra viện sớm
dù lúc đầu còn tỉnh.

## Độ ổn định và bảo quản

Viên nén phải giữ nơi khô ráo, dưới 25 °C: viên hút ẩm có thể mất đến một phần ba hiệu lực. Hỗn dịch không để đông lạnh;
sau khi mở lọ, dùng trong vòng 3 tháng và ghi ngày mở lên nhãn.
"""


def handbook(path: Path) -> None:
    """Makes the drug handbook; the second pass knows the folios of the first."""
    seen: dict[str, int] = {}
    for _ in range(2):
        seen = _handbook(path, seen)


def _monographs(column: float, body: ParagraphStyle) -> list[Flowable]:
    """Gives the monographs as flowables for a column of this width."""
    label = ParagraphStyle("label", body, alignment=0)
    heading = ParagraphStyle(
        "heading",
        body,
        fontName="Sans-Bold",
        fontSize=10.4,
        leading=13,
        alignment=0,
        textColor=TEAL,
        spaceBefore=4.5,
        spaceAfter=1.6,
    )
    title = ParagraphStyle(
        "title",
        heading,
        fontSize=15,
        leading=18,
        textColor=WINE,
        spaceBefore=9,
        spaceAfter=4,
    )
    cell = ParagraphStyle("cell", body, fontSize=8.6, leading=10.8, alignment=0, spaceAfter=0)
    story: list[Flowable] = []
    for block in _blocks(MONOGRAPHS):
        if block.startswith("# "):
            flowable: Flowable = Paragraph(block[2:], title)
            flowable.mark = block[2:]
            story.append(CondPageBreak(90))
        elif block.startswith("## "):
            story.append(CondPageBreak(46))
            flowable = Paragraph(block[3:], heading)
        elif block.startswith("@ "):
            name, value = block[2:].split(": ", 1)
            flowable = Paragraph(f'<font name="Sans-Bold" color="#0f4c5c">{name}:</font> {value}', label)
        elif block.startswith("|"):
            cells = [
                [Paragraph(_bold(text if number else f"**{text}**"), cell) for text in row]
                for number, row in enumerate(_rows(block))
            ]
            flowable = Table(cells, colWidths=[column * 0.4, column * 0.23, column * 0.37], spaceBefore=2, spaceAfter=5)
            flowable.setStyle(
                TableStyle(
                    [
                        ("FONT", (0, 0), (-1, -1), "Serif"),
                        ("GRID", (0, 0), (-1, -1), 0.5, RULE),
                        ("BACKGROUND", (0, 0), (-1, 0), PALE),
                        ("LEFTPADDING", (0, 0), (-1, -1), 3),
                        ("RIGHTPADDING", (0, 0), (-1, -1), 2),
                        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
                    ]
                )
            )
        else:
            flowable = Paragraph(_bold(block), body)
        story.append(flowable)
    return story


def _handbook(path: Path, seen: dict[str, int]) -> dict[str, int]:
    width, height = A5
    inner, outer, top, bottom, gap = 15 * mm, 13 * mm, 20 * mm, 19 * mm, 6 * mm
    body = ParagraphStyle(
        "body",
        fontName="Serif",
        fontSize=9.8,
        leading=13,
        alignment=TA_JUSTIFY,
        textColor=INK,
        spaceAfter=2.4,
        allowWidows=0,
        allowOrphans=0,
    )
    front = ParagraphStyle(
        "front", body, fontName="Sans-Bold", fontSize=16, leading=20, alignment=0, textColor=WINE, spaceAfter=10
    )

    def sides(page: int) -> tuple[float, float]:
        return (inner, outer) if page % 2 == 1 else (outer, inner)

    def columns(page: int) -> list[Frame]:
        left, right = sides(page)
        column = (width - left - right - gap) / 2
        tall = height - top - bottom
        return [_frame(left, bottom, column, tall), _frame(left + column + gap, bottom, column, tall)]

    def cover(canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.setFillColor(TEAL)
        canvas.rect(0, height - 92 * mm, width, 92 * mm, stroke=0, fill=1)
        canvas.setFillColor(WINE)
        canvas.rect(0, height - 94 * mm, width, 2 * mm, stroke=0, fill=1)
        canvas.setFillColor(Color(1, 1, 1))
        canvas.setFont("Sans", 11)
        canvas.drawString(16 * mm, height - 28 * mm, "Trạm Y tế Cù Lao Sậy")
        canvas.setFont("Sans-Bold", 34)
        canvas.drawString(16 * mm, height - 52 * mm, "Sổ tay thuốc")
        canvas.setFont("Serif-Italic", 14)
        canvas.drawString(16 * mm, height - 64 * mm, "Bản trích: bốn chuyên luận")
        canvas.setFont("Sans", 10)
        canvas.drawString(16 * mm, height - 80 * mm, "Ấn bản thứ hai")

    def folio(canvas: Canvas, text: str, page: int) -> None:
        left, right = sides(page)
        canvas.setFont("Sans", 9)
        canvas.setFillColor(GREY)
        if page % 2 == 1:
            canvas.drawRightString(width - right, 10 * mm, text)
        else:
            canvas.drawString(left, 10 * mm, text)

    def roman(canvas: Canvas, doc: BaseDocTemplate) -> None:
        number = doc.page - 1
        folio(canvas, "i" * number, number)

    def running(canvas: Canvas, doc: BaseDocTemplate) -> None:
        number = doc.page - 3
        left, right = sides(number)
        begun = [name for name, page in seen.items() if page <= doc.page]
        canvas.setFillColor(GREY)
        canvas.setFont("Serif-Italic", 8.6)
        if number % 2 == 1:
            canvas.drawRightString(width - right, height - 13.5 * mm, begun[-1] if begun else "")
        else:
            canvas.drawString(left, height - 13.5 * mm, HANDBOOK)
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.4)
        canvas.line(left, height - 15.5 * mm, width - right, height - 15.5 * mm)
        folio(canvas, str(number), number)

    doc = _Book(
        path,
        pagesize=A5,
        title="Sổ tay thuốc (bản trích, hư cấu)",
        lang="vi",
        subject="Tài liệu hư cấu để thử phần mềm; không phải lời khuyên y khoa. CC0-1.0.",
    )
    wide = width - inner - outer
    doc.addPageTemplates(
        [
            PageTemplate("cover", [_frame(16 * mm, 20 * mm, width - 32 * mm, 82 * mm)], onPage=cover),
            PageTemplate("i", [_frame(inner, bottom, wide, height - 44 * mm)], onPage=roman),
            PageTemplate("ii", [_frame(outer, bottom, wide, height - 44 * mm)], onPage=roman),
            PageTemplate("odd", columns(1), onPage=running),
            PageTemplate("even", columns(2), onPage=running),
        ]
    )
    story: list[Flowable] = [
        Paragraph(_bold(text), ParagraphStyle("notice", body, fontSize=10, leading=14, alignment=0, spaceAfter=7))
        for text in (
            (
                "**Tài liệu này hoàn toàn hư cấu.** Tên thuốc, mã ATC, liều dùng, tương tác và mọi số liệu trong sách đều do "
                "người soạn tưởng tượng ra để thử phần mềm xử lý văn bản."
            ),
            (
                "**Đây không phải lời khuyên y khoa** và không được dùng để kê đơn, cấp phát hay điều trị. Trạm Y tế Cù Lao Sậy "
                "không có thật."
            ),
            "Phát hành theo CC0 1.0: ai cũng có thể sao chép, sửa đổi và phân phát.",
        )
    ]
    story += [NextPageTemplate("i"), PageBreak(), Paragraph("Mục lục", front)]
    names = re.findall(r"^# (.+)$", MONOGRAPHS, re.MULTILINE)
    for name, page in [("Chữ viết tắt", "ii"), *((name, str(seen[name] - 3) if name in seen else "") for name in names)]:
        dots = "." * int((wide - stringWidth(name + page, "Serif", 10.5) - 12) / stringWidth(" .", "Serif", 10.5))
        row = Table([[name, " ".join(dots), page]], colWidths=[stringWidth(name, "Serif", 10.5) + 5, None, 16])
        row.setStyle(
            TableStyle(
                [
                    ("FONT", (0, 0), (-1, -1), "Serif", 10.5),
                    ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
                    ("TEXTCOLOR", (0, 0), (-1, -1), INK),
                    ("TEXTCOLOR", (1, 0), (1, 0), RULE),
                    ("LEFTPADDING", (0, 0), (-1, -1), 0),
                    ("RIGHTPADDING", (0, 0), (-1, -1), 0),
                    ("TOPPADDING", (0, 0), (-1, -1), 2),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
                ]
            )
        )
        story.append(row)
    story += [
        Spacer(0, 12),
        Paragraph(
            "Mỗi chuyên luận gồm những mục giống nhau và xếp theo cùng một thứ tự, để người đọc tìm được ngay mục mình cần. "
            "Số trang trong mục lục là số in ở góc dưới phía ngoài của trang, không phải số thứ tự của trang trong tệp.",
            ParagraphStyle("hint", body, fontSize=9.6, leading=13.4),
        ),
        NextPageTemplate("ii"),
        PageBreak(),
        Paragraph("Chữ viết tắt", front),
    ]
    pairs = [
        [
            Paragraph(_bold(part.strip()), ParagraphStyle("ab", body, fontSize=10, leading=13, alignment=0))
            for part in line.split("|")
        ]
        for line in ABBREVIATIONS.strip().splitlines()
    ]
    story += [
        Table(
            pairs,
            colWidths=[24 * mm, wide - 24 * mm],
            style=TableStyle(
                [
                    ("FONT", (0, 0), (-1, -1), "Serif"),
                    ("LEFTPADDING", (0, 0), (-1, -1), 0),
                    ("TOPPADDING", (0, 0), (-1, -1), 1.5),
                    ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
                    ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ]
            ),
        ),
        NextPageTemplate(["odd", "even"]),
        PageBreak(),
    ]
    story += _monographs((wide - gap) / 2, body)
    doc.build(story)
    return doc.seen


# --- 2. Harbour report -----------------------------------------------------------------------------------------

TRUST = "Skerrow Haven Harbour Trust"
ARRIVALS = {
    "Apr": 61,
    "May": 74,
    "Jun": 83,
    "Jul": 97,
    "Aug": 94,
    "Sep": 78,
    "Oct": 66,
    "Nov": 52,
    "Dec": 39,
    "Jan": 34,
    "Feb": 41,
    "Mar": 57,
}
FOOTNOTES = {
    2: [
        (
            "1",
            (
                "The limits were last altered by the Skerrow Haven Order, which moved the seaward line from the Kettle buoy to "
                "the Maiden light."
            ),
        ),
        ("2", "Tonnes are metric and are counted when cargo crosses the quay. Fish is counted at the market scale."),
    ],
    3: [("3", "A vessel that leaves and returns on the same tide is counted once.")],
    7: [("4", "Reserves exclude the pilots’ benevolent fund, which the Trust holds but may not spend.")],
}

REPORT = """
# 1 The year in brief

## 1.1 Statement of the Chair

The Trust ends the year with a busier harbour, a quieter dredger and a modest surplus. Three things stood out. The new link-span
at Cooper’s Quay opened in May, four weeks late and within its budget. The winter was kind: the harbour closed to all traffic on
two days only, against eleven the year before. And the timber trade, which many of us had written off, came back.

We also had a warning. On 9 November the coaster *Brannoc Lass* parted two lines in a north-easterly gale and lay against the
fuel jetty for six hours. Nobody was hurt and nothing was spilt, but the inquiry found that the mooring plan for the jetty
had not
been revised since the jetty was lengthened. It has been revised now, and so have the plans for every other berth.

I thank the harbour staff, the pilots and the volunteers of the lifeboat station, who were called out nineteen times.

## 1.2 Limits and duties

The Trust is the harbour authority for the waters of Skerrow Haven inside a line from the Maiden light to Garth
Point.<super>1</super>
It must keep the channel to a least depth of 5.4 metres at low water, light and buoy the approaches, and regulate moorings.
It has
nine trustees: four elected by harbour users, three named by the county, one by the pilots and one by the staff.

The trustees met ten times. Attendance was 91 per cent. Minutes of all meetings can be read at the harbour office on Custom
House
Stairs on any weekday, and a summary is posted on the slipway notice board within seven days.

# 2 Trade and traffic

## 2.1 Cargo

The harbour handled 186,980 tonnes of cargo, 0.5 per cent less than the year before.<super>2</super> The fall is due to one
customer alone: the Ollerby quarry closed for eleven weeks while its crusher was replaced, and shipments of aggregates fell by
13,580 tonnes. Every other trade grew. Table 1 gives the figures for three years.

Project cargo, almost all of it blades and tower sections for the wind farm on Hallam Bank, rose by 78 per cent. The pieces
are long rather than heavy, and it is quay length and not crane power that sets the limit; for this reason the trustees
agreed in January to move the ice plant, which will free a further 64 metres of Cooper’s Quay.

!table

## 2.2 Vessel arrivals

There were 776 arrivals of commercial vessels, an average of just over two a day.<super>3</super> July was the busiest month
and January the quietest, as Figure 1 shows. The share of vessels that took a pilot rose to 58 per cent.

!figure

The average stay alongside was 19 hours. Delay caused by the harbour itself, which is to say by waiting for a berth, a pilot or
a crane, fell from 2.6 hours to 1.9 hours per call. The Trust aims to bring it below 1.5 hours.

## 2.3 Leisure moorings

All 312 swinging moorings were let, and 140 people are on the waiting list. The trustees have decided not to add moorings in
the Inner Pool, where the seagrass is recovering. Forty pontoon berths will be built at Tanner’s Creek instead, of which ten
will be kept for visitors. A mooring that has not been used for two seasons without good reason is now offered to the next
person
on the list; nine changed hands in this way.

# 3 Safety and environment

## 3.1 Pilotage

Pilotage is compulsory for vessels of more than 60 metres and for all vessels that carry fuel. The five pilots carried out 453
acts of pilotage without an accident. One pilot retired in September after thirty-one years, and an apprentice has been
engaged who should be licensed for vessels of up to 90 metres by next spring. Two applications for exemption certificates were
granted and one was refused.

## 3.2 Spill exercise

The yearly exercise was held on 3 June. The scenario was a burst hose at the fuel jetty on a falling tide. The first boom was
across the mouth of Tanner’s Creek 41 minutes after the alarm; the plan allows 45. The observers asked for a second anchor
point on the eastern side, since the boom sagged when the ebb reached two knots, and this was fitted in August.

## 3.3 Dredging

The dredger worked for 46 days and removed 71,000 cubic metres, mostly soft silt from the turning basin. This is the smallest
quantity for nine years. The survey in February nevertheless found a bar of 5.1 metres on the line of the outer leading lights,
and the channel there was advertised at that depth until it had been cleared on 14 March.

!blank

# 4 Schedule of works

The works below were in hand or agreed on 31 March. Each has a named officer, and the trustees receive a report
on every one of them at each meeting.

**Cooper’s Quay, ice plant.** Move the ice plant to the market yard and make good the quay. To begin in September and to end
before the
winter fishery. Officer: the Harbour Engineer. Estimate £310,000, of which £120,000 is a grant from the county.

**Fuel jetty, mooring dolphins.** Two new dolphins and eight quick-release hooks, as the inquiry into the *Brannoc Lass*
advised.
Contract let in February; piling is limited to the hours from 8 to 18 and is not allowed in May or June, when the terns are
nesting. Estimate £268,000.

**Tanner’s Creek, pontoons.** Forty berths in two phases. The first phase of sixteen berths is due to open at Easter next year.
Officer: the Mooring Master. Estimate £405,000, to be repaid from berth fees within twelve years.

**Maiden light.** Renew the lantern, the standby battery and the last 200 metres of cable. The light will be shown from a
temporary mast,
two metres lower than the present one, for about five weeks. Estimate £74,000.

**Channel lights.** Replace the six lamps between the Kettle buoy and the turning basin with solar lamps of the same
character. Notice to
mariners will be given for each lamp at least ten days before the work. Estimate £41,000.

**Custom House Stairs.** Repoint the masonry below high water and replace eleven treads. The stairs will be closed on
weekdays only, so that the
Sunday ferry can go on using them. Estimate £22,500.

**Harbour office, records room.** Raise the floor by 400 millimetres and line the north wall, so that the registers of moorings,
some of which are the only copies, are above the level of the surge of January. Officer: the Clerk. Estimate £36,000.

!portrait

# 5 Finance

## 5.1 Income and expenditure

Income was £4,182,000, of which harbour dues made up £2,316,000, moorings £711,000, pilotage £604,000, rents £428,000 and other
sources £123,000. Expenditure was £3,947,000. The surplus of £235,000 has been added to reserves.

Dues were raised by 3 per cent in April, for the first time in three years. The charge for fishing vessels registered in the
haven
was left as it was. Wages rose by 4 per cent under the second year of the agreement with the staff. Fuel cost 12 per cent
less than
budgeted because the dredger worked fewer days.

## 5.2 Reserves

Reserves stood at £2,095,000 at the year’s end.<super>4</super> The trustees hold that reserves should cover six months of
expenditure and
the largest uninsured loss that they think likely, together about £2,400,000. They expect to reach this sum in two years.

# 6 Outlook

The wind farm on Hallam Bank will need the harbour for at least three more seasons, and the quarry has told us to expect a full
year. Against this, the county bridge is to be closed to heavy lorries for eight months, and part of the timber may go elsewhere
for as long as that lasts. The budget assumes 190,000 tonnes and a surplus of £150,000.

The trustees will consult harbour users in the autumn on a new plan for the Inner Pool. Comments may be left at the harbour
office, and a meeting will be held in the net loft on the second Saturday of October.
"""

CARGO = [
    ("Commodity", "2022–23", "2023–24", "2024–25"),
    ("Aggregates", "96,480", "101,720", "88,140"),
    ("Timber", "41,200", "38,950", "44,310"),
    ("Animal feed", "27,310", "29,860", "31,495"),
    ("Fish, landed", "12,640", "11,905", "13,275"),
    ("Project cargo", "3,150", "5,480", "9,760"),
    ("Total", "180,780", "187,915", "186,980"),
]


class _Bars(Flowable):
    """A bar chart of arrivals by month, in vectors."""

    def __init__(self, width: float, height: float = 150) -> None:
        super().__init__()
        self.width, self.height = width, height

    def wrap(self, *_: float) -> tuple[float, float]:
        """Gives the size of the chart."""
        return self.width, self.height

    def draw(self) -> None:
        """Draws the axes, the bars and their labels."""
        canvas, left, base = self.canv, 26.0, 18.0
        scale = (self.height - base - 12) / 100
        canvas.setLineWidth(0.4)
        canvas.setFont("Sans", 8.5)
        for mark in (0, 25, 50, 75, 100):
            y = base + mark * scale
            canvas.setStrokeColor(RULE if mark else INK)
            canvas.setDash([] if not mark else [1, 2])
            canvas.line(left, y, self.width, y)
            canvas.setFillColor(GREY)
            canvas.drawRightString(left - 5, y - 3, str(mark))
        canvas.setDash([])
        step = (self.width - left) / len(ARRIVALS)
        for place, (month, count) in enumerate(ARRIVALS.items()):
            x = left + place * step
            canvas.setFillColor(WINE if month == "Jul" else TEAL)
            canvas.rect(x + step * 0.2, base, step * 0.6, count * scale, stroke=0, fill=1)
            canvas.setFillColor(Color(1, 1, 1))
            canvas.drawCentredString(x + step / 2, base + count * scale - 10, str(count))
            canvas.setFillColor(INK)
            canvas.drawCentredString(x + step / 2, 5, month)


def harbour(path: Path) -> None:
    """Makes the annual report; the second pass knows how many pages the first had."""
    seen: dict[str, int] = {}
    for _ in range(2):
        seen = _harbour(path, seen)


def _sections(wide: float, body: ParagraphStyle) -> list[Flowable]:
    """Gives the report after its cover as flowables."""
    h1 = ParagraphStyle(
        "h1", body, fontName="Sans-Bold", fontSize=18, leading=22, alignment=0, textColor=TEAL, spaceBefore=12, spaceAfter=7
    )
    h2 = ParagraphStyle("h2", h1, fontSize=13, leading=17, textColor=INK, spaceBefore=6, spaceAfter=4)
    turned_body = ParagraphStyle("turned", body, fontSize=12.4, leading=17.6)
    caption = ParagraphStyle("caption", body, fontName="Sans", fontSize=9.5, leading=12.5, alignment=0, textColor=GREY)
    story: list[Flowable] = []
    text = body
    for block in _blocks(REPORT):
        if block == "!table":
            table = Table(CARGO, colWidths=[wide * 0.4, wide * 0.2, wide * 0.2, wide * 0.2])
            table.setStyle(
                TableStyle(
                    [
                        ("FONT", (0, 0), (-1, -1), "Sans", 10),
                        ("FONT", (0, 0), (-1, 0), "Sans-Bold", 10),
                        ("FONT", (0, -1), (-1, -1), "Sans-Bold", 10),
                        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
                        ("GRID", (0, 0), (-1, -1), 0.5, RULE),
                        ("BACKGROUND", (0, 0), (-1, 0), PALE),
                        ("TEXTCOLOR", (0, 0), (-1, -1), INK),
                        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 4.5),
                    ]
                )
            )
            named = ParagraphStyle("named", caption, spaceAfter=4, spaceBefore=2)
            story += [KeepTogether([Paragraph("Table 1. Cargo handled, in tonnes", named), table]), Spacer(0, 12)]
        elif block == "!figure":
            story.append(
                KeepTogether(
                    [
                        Spacer(0, 4),
                        _Bars(wide),
                        Spacer(0, 4),
                        Paragraph(
                            "Figure 1. Arrivals of commercial vessels by month, 2024–25. July, the busiest month, is in red.",
                            caption,
                        ),
                        Spacer(0, 4),
                    ]
                )
            )
        elif block == "!blank":
            story += [NextPageTemplate("blank"), PageBreak(), NextPageTemplate("turned"), Spacer(0, 1), PageBreak()]
            text = turned_body
        elif block == "!portrait":
            story += [NextPageTemplate([str(page) for page in range(7, 12)]), PageBreak()]
            text = body
        elif block.startswith("# "):
            story += [CondPageBreak(120), Paragraph(block[2:], h1)]
        elif block.startswith("## "):
            story += [CondPageBreak(62), Paragraph(block[3:], h2)]
        else:
            story.append(Paragraph(_bold(block), text))
    return story


def _harbour(path: Path, seen: dict[str, int]) -> dict[str, int]:
    width, height = A4
    left, top, bottom = 32 * mm, 30 * mm, 28 * mm
    wide = width - 2 * left
    body = ParagraphStyle(
        "body",
        fontName="Serif",
        fontSize=11.4,
        leading=16.3,
        alignment=TA_JUSTIFY,
        textColor=INK,
        spaceAfter=7.5,
        allowWidows=0,
        allowOrphans=0,
    )
    small = ParagraphStyle("small", body, fontSize=8.8, leading=11.4, spaceAfter=2)
    last = seen.get("", 1)

    def notes(page: int, measure: float) -> tuple[list[Paragraph], float]:
        made = [Paragraph(f"<super>{number}</super> {text}", small) for number, text in FOOTNOTES.get(page, [])]
        return made, sum(note.wrap(measure, 400)[1] + 2 for note in made) + (10 if made else 0)

    def furniture(canvas: Canvas, doc: BaseDocTemplate, across: float, tall: float) -> None:
        canvas.setFont("Sans", 9)
        canvas.setFillColor(GREY)
        canvas.drawString(left, tall - 18 * mm, TRUST)
        canvas.drawRightString(across - left, tall - 18 * mm, "Annual Report 2024–25")
        canvas.setStrokeColor(RULE)
        canvas.setLineWidth(0.4)
        canvas.line(left, tall - 20.5 * mm, across - left, tall - 20.5 * mm)
        canvas.drawCentredString(across / 2, 14 * mm, f"Page {doc.page - 1} of {last - 1}")
        made, y = notes(doc.page, wide)
        if made:
            y += bottom - 10
            canvas.line(left, y + 4, left + 45 * mm, y + 4)
            for note in made:
                y -= note.wrap(wide, 400)[1]
                note.drawOn(canvas, left, y)
                y -= 2

    def upright(canvas: Canvas, doc: BaseDocTemplate) -> None:
        furniture(canvas, doc, width, height)

    def turned(canvas: Canvas, doc: BaseDocTemplate) -> None:
        canvas.translate(width, 0)
        canvas.rotate(90)
        furniture(canvas, doc, height, width)

    def cover(canvas: Canvas, _: BaseDocTemplate) -> None:
        canvas.addPageLabel(0, prefix="Cover")
        canvas.addPageLabel(1, style="ARABIC", start=1)
        canvas.setFillColor(TEAL)
        canvas.rect(0, 0, width, 88 * mm, stroke=0, fill=1)
        canvas.setStrokeColor(Color(1, 1, 1))
        canvas.setLineWidth(1.2)
        for rank in range(4):
            swell = canvas.beginPath()
            y = (24 + 14 * rank) * mm
            swell.moveTo(0, y)
            for wave in range(6):
                x = wave * width / 6
                swell.curveTo(x + width / 18, y + 7 * mm, x + width / 9, y - 7 * mm, x + width / 6, y)
            canvas.drawPath(swell)
        canvas.setFillColor(INK)
        canvas.setFont("Sans", 14)
        canvas.drawString(left, height - 70 * mm, TRUST)
        canvas.setFont("Sans-Bold", 38)
        canvas.setFillColor(TEAL)
        canvas.drawString(left, height - 92 * mm, "Annual Report")
        canvas.setFont("Serif-Italic", 16)
        canvas.setFillColor(INK)
        canvas.drawString(left, height - 105 * mm, "for the year ended 31 March 2025")
        canvas.setFont("Serif", 10.5)
        canvas.setFillColor(GREY)
        canvas.drawString(left, height - 190 * mm, "The Trust, the haven, its people, its vessels and all figures are invented.")
        canvas.drawString(left, height - 195.5 * mm, "Released under CC0 1.0.")

    doc = _Book(
        path,
        pagesize=A4,
        title="Skerrow Haven Harbour Trust: Annual Report 2024–25 (invented)",
        lang="en-GB",
        subject="An invented report for trying out software. CC0-1.0.",
    )
    templates = [PageTemplate("1", [_frame(left, bottom, wide, 60)], onPage=cover)]
    for page in range(2, 12):
        _, reserve = notes(page, wide)
        templates.append(
            PageTemplate(
                str(page),
                [_frame(left, bottom + reserve, wide, height - top - bottom - reserve)],
                onPage=upright,
            )
        )
    half = (height - 2 * left - 12 * mm) / 2
    templates += [
        PageTemplate("blank", [_frame(left, bottom, wide, 60)]),
        PageTemplate(
            "turned",
            [
                _frame(left, 58 * mm, half, width - 86 * mm),
                _frame(left + half + 12 * mm, 58 * mm, half, width - 86 * mm),
            ],
            onPage=turned,
            pagesize=(height, width),
        ),
    ]
    templates[-1].rotation = 90
    doc.addPageTemplates(templates)
    story: list[Flowable] = [NextPageTemplate([str(page) for page in range(2, 7)]), Spacer(0, 1), PageBreak()]
    story += _sections(wide, body)
    doc.build(story)
    return {**doc.seen, "": doc.page}


# --- 3. Supplementary paper ------------------------------------------------------------------------------------

PAPER = """
# (A) 渠務工程

? 問 A1：沙嘴谷雨水排放系統改善工程第二期的進度如何？工程費用會否超出核准預算？

答 A1：沙嘴谷雨水排放系統改善工程第二期於2024年9月動工，主要包括興建一條長約1.8公里的地下箱形暗渠、一座容量為
26,000立方米的蓄洪池，以及重建四個位於谷口的排水口。截至2026年4月底，整體工程已完成約百分之六十二。

蓄洪池的挖掘工程較原定計劃遲了七個星期，主要由於在地底九米處發現未有記錄的舊石堤。承建商已改用兩班制施工，並把暗渠北段
的工序提前，預計全部工程仍可按合約於2027年3月完成。

費用方面，核准預算為4億8,600萬元。按現時估算，最終費用約為4億7,900萬元，無須申請追加撥款。處理舊石堤所需的1,150萬元
會由應急費用支付。

[如被追問：舊石堤有沒有文物價值？——文物組已於2025年11月到場勘察，認為石堤屬一般海堤殘段，只須拍照和測繪存檔。其中
約十二米保存較完整的石塊已運往市立博物館貯存，日後可在谷口公園展示。]

? 問 A2：去年雨季本市有多少宗水浸個案？政府如何處理屢次水浸的黑點？

答 A2：2025年雨季共錄得37宗水浸個案，較前一年減少14宗。其中29宗在兩小時內退水，沒有人受傷。

渠務組在每次暴雨警告發出後一小時內派員巡查各水浸黑點，並在鹽倉街和石橋里裝設了水位感應器。感應器在水位升至路面以下
三十厘米時會自動通知值班人員，亦會透過市政流動程式提醒附近居民。

我們會在每年雨季完結後檢討黑點名單。連續三個雨季沒有水浸個案的地點會從名單剔除，但仍會保留每季一次的清理。

現有水浸黑點共六個，詳情及處理方法如下：

| 黑點 | 2024年 | 2025年 | 處理方法 | 完成日期 |
| 沙嘴谷口 | 11宗 | 8宗 | 擴建暗渠及蓄洪池 | 2027年3月 |
| 鹽倉街 | 7宗 | 5宗 | 加設集水溝 | 2026年8月 |
| 舊墟廣場 | 6宗 | 2宗 | 重鋪斜面路面 | 已完成 |
| 石橋里 | 4宗 | 4宗 | 更換過路渠 | 2026年12月 |
| 白鷺徑 | 3宗 | 1宗 | 清除樹根及淤泥 | 已完成 |
| 漁塘新村 | 3宗 | 3宗 | 增設水泵房 | 2028年1月 |

? 問 A3：下水道由機械人檢查的試驗計劃成效如何？會否因此削減人手？

答 A3：試驗計劃由2025年2月起為期一年，共檢查管道46公里，發現裂縫或沉降213處，其中38處須即時維修。與人手檢查相比，
每公里所需時間由平均五小時減至約兩小時，亦大幅減少工作人員進入密閉空間的次數。

試驗期間，機械人有三次因淤泥過厚而須由人手拖出。承辦商已改良履帶設計，新型號會在今年第三季投入服務。

計劃不會導致人手減少。現時負責檢查的24名員工當中，十六人已完成操作訓練，其餘八人會在年底前受訓；騰出的時間會用於
私人渠管錯駁的調查。

[如被追問：機械人的購置費用是多少？——每部連同控制車約為280萬元，使用年期預計為八年。現有兩部，計劃在下年度添置一部。]

# (B) 海旁休憩設施

? 問 B1：東堤海濱長廊為何延至明年才開放？已完成的路段可否先行開放？

答 B1：東堤海濱長廊全長2.4公里，分三段施工。南段和中段已大致完成；北段因須等候渡輪碼頭的防撞設施更換，
預計在2027年2月才可完工。

我們同意議員的意見，應讓市民盡早享用已完成的路段。南段（由魚市場至燈塔廣場，約800米）將於今年7月1日率先開放，開放時間為
每日上午六時至晚上十一時。中段因仍須用作北段的施工通道，未能同時開放，但逢星期日及公眾假期會局部開放予行人使用。

在北段施工期間，承建商須在圍板上設置不少於六個觀景窗，並每月公布工程進度。

[如被追問：長廊會否容許單車和寵物進入？——南段設有獨立單車徑，闊三米。寵物可進入，但須以不超過一點五米的繩索牽引；
燈塔廣場的草坪除外。]

? 問 B2：海旁座椅和遮蔭處不足，長者多有怨言。當局有何改善計劃？

答 B2：現時海旁各段共有座椅412張，平均每公里約有九十張。我們在今年3月的實地調查發現，下午二時至四時有遮蔭的座椅只佔
百分之二十七，確有改善的需要。

我們計劃分兩個階段處理。第一階段在今年9月前加設八十張有靠背和扶手的座椅，並在十五處豎立可收合的帆布遮篷。第二階段由2026年冬季
起種植樹木約260棵，品種以耐鹽和抗風的本地樹木為主，預計五年後可遮蓋大部分步道。

遮篷採用可收合的設計，是由於海旁在颱風季節須於六小時內清除所有懸掛物。汐汀大學的風洞測試顯示，收合後的支架可承受每小時
二百二十公里的陣風。遮篷的顏色和物料由區內三所中學的學生票選，結果以灰藍色帆布獲得最多支持。

# (C) 固體廢物

? 問 C1：按量收費先導計劃在兩條屋邨推行後，家居廢物棄置量有沒有減少？

答 C1：有。先導計劃於2025年6月至11月在漁塘新村和松濤苑推行，共有3,120戶參與。六個月內，兩邨的人均每日棄置量由
0.94公斤下降至0.71公斤，減幅為百分之二十四；同期沒有參與計劃的三條屋邨則微升百分之一。

回收物的數量上升百分之五十八，其中以廚餘升幅最大。不過，回收物的混雜率亦由百分之九升至百分之十三，反映部分住戶為節省
指定袋而把不可回收的物品投入回收箱。我們已增派環保大使，在黃昏時段到場協助。

違規棄置方面，六個月內共發出勸諭通知86份，沒有檢控個案。

[如被追問：計劃會否推展至全市？——現階段沒有時間表。我們會在今年第四季向委員會提交檢討報告，並先行處理單棟樓宇沒有
管理組織的問題。]

? 問 C2：離島的垃圾轉運船經常延誤，居民如何受惠於新的安排？

答 C2：由2026年1月起，轉運船改為隔日開航，每次停靠三個離島碼頭，並增設一艘後備船。首四個月的準時率為百分之九十六，
去年同期則為百分之七十八。

各碼頭的貯存間亦已加裝冷凍設備和防鼠閘門，在船隻因風浪停航時可貯存最多四日的廢物。我們會繼續聽取離島居民的意見，並在年底
檢視是否需要增加夏季班次。

# (D) 街道照明

? 問 D1：更換節能路燈的工程完成了多少？舊燈如何處置？

答 D1：全市共有路燈約18,400支，截至2026年3月底已更換11,960支，佔百分之六十五。餘下的路燈主要位於山坡和窄巷，須使用小型吊車
施工，預計於2027年底完成。

更換後的路燈每年可節省電力約390萬度。部分居民反映新燈過亮，影響睡眠；我們已在住宅樓宇十米範圍內改用暖色燈泡，並在午夜後
把亮度調低四成。

拆下的舊燈由承辦商運往回收廠，金屬部分全數回收，含水銀的燈泡則交由持牌設施處理。舊燈柱中有二十六支屬上世紀的鑄鐵燈柱，
會修復後保留在舊墟廣場一帶。

[如被追問：調低亮度會否影響治安？——警方的數字顯示，試行調光的九條街道在試行前後六個月內的罪案數目沒有明顯分別。
如有居民團體要求，個別路段可恢復原來的亮度。]

? 問 D2：市民報告路燈故障後，一般需要多久才可修復？

答 D2：服務承諾為四十八小時內修復百分之九十的個案。過去一年共接獲報告2,315宗，其中百分之九十三在四十八小時內修復，
平均需時二十九小時。未能如期修復的個案，大多涉及地底電纜損壞，須先取得掘路許可。

為加快處理，我們由今年2月起在市政流動程式加設掃描功能，市民只須掃描燈柱上的編號便可報告，無須描述地點。首三個月經此途徑收到
的報告佔總數百分之四十一，誤報率亦由百分之十二降至百分之三。

? 問 D3：登山徑入口照明不足，會否加裝太陽能燈？

答 D3：會。我們已選定七個登山徑入口，共加裝太陽能燈五十四支，工程費用約為210萬元，預計在2026年10月完成。選址時已避開
螢火蟲的主要棲息地，燈光亦會在晚上十時半自動熄滅。

每支太陽能燈的蓄電池在連續三日陰雨下仍可維持照明，使用年期約為五年。渠務組和公園組會共用同一輛維修車，以節省開支。

[如被追問：為何不接駁市電？——登山徑入口距離最近的電箱平均超過四百米，接駁費用約為太陽能燈的三倍，亦須砍伐部分樹木。]
"""

# No line may begin with one of the first or end with one of the second.
NEVER_FIRST = "，。、；：？！）」』〕》]%"
NEVER_LAST = "（「『〔《["


def _tokens(text: str) -> list[str]:
    """Splits a text where a line may break: after every Han character, and around runs of Latin letters and digits."""
    tokens = re.findall(r"[!-~·–]+|\s+|.", text)
    merged: list[str] = []
    for token in tokens:
        closes = token[0] in NEVER_FIRST or (token == "—" and merged and merged[-1].endswith("—"))
        if merged and (closes or merged[-1][-1] in NEVER_LAST):
            merged[-1] += token
        else:
            merged.append(token)
    return merged


class _Han(Flowable):
    """A paragraph of Chinese text with Latin runs, justified by spreading the characters of each full line."""

    def __init__(
        self,
        text: str,
        face: str,
        size: float = 13,
        leading: float = 22.5,
        *,
        indent: float = 0,
        after: float = 6,
        color: Color = INK,
        lines: list[list[str]] | None = None,
        ended: bool = True,
    ) -> None:
        super().__init__()
        self.text, self.face, self.size, self.leading = text, face, size, leading
        self.indent, self.after, self.color = indent, after, color
        self.lines, self.ended = lines, ended

    def _fonts(self, token: str) -> list[tuple[str, str]]:
        latin = "Sans-Bold" if self.face == "Han-Bold" else "Serif"
        return [
            (latin if re.match(r"[ -Z\\^-~–]", run) else self.face, run)
            for run in re.findall(r"[ -Z\\^-~–]+|[^ -Z\\^-~–]+", token)
        ]

    def _measure(self, token: str) -> float:
        return sum(stringWidth(run, font, self.size) for font, run in self._fonts(token))

    def wrap(self, width: float, _: float) -> tuple[float, float]:
        """Breaks the text into lines."""
        self.measure = width - self.indent
        if self.lines is None:
            self.lines, line, used = [], [], 0.0
            for token in _tokens(self.text):
                size = self._measure(token)
                if line and used + size > self.measure + 0.01:
                    self.lines.append(line)
                    line, used = [], 0.0
                    if token.isspace():
                        continue
                line.append(token)
                used += size
            self.lines.append(line)
        return width, len(self.lines) * self.leading

    def getSpaceAfter(self) -> float:  # noqa: N802
        """Gives the space below."""
        return self.after if self.ended else 0

    def split(self, width: float, height: float) -> list[Flowable]:
        """Cuts the paragraph at a page's end."""
        self.wrap(width, height)
        fit = min(int(height // self.leading), len(self.lines) - 1)
        if fit < 1:
            return []
        options = {"indent": self.indent, "after": self.after, "color": self.color}
        return [
            _Han("", self.face, self.size, self.leading, lines=self.lines[:fit], ended=False, **options),
            _Han("", self.face, self.size, self.leading, lines=self.lines[fit:], ended=self.ended, **options),
        ]

    def draw(self) -> None:
        """Writes the lines."""
        canvas, y = self.canv, self.height_of() - self.leading + (self.leading - self.size) / 2 + self.size * 0.14
        canvas.setFillColor(self.color)
        for number, line in enumerate(self.lines):
            spread, text = 0.0, "".join(line)
            if number < len(self.lines) - 1 or not self.ended:
                text = text.rstrip()
                spread = (self.measure - self._measure(text)) / max(len(text) - 1, 1)
            out = canvas.beginText(self.indent, y)
            out.setCharSpace(spread)
            for font, run in self._fonts(text):
                out.setFont(font, self.size)
                out.textOut(run)
            canvas.drawText(out)
            y -= self.leading

    def height_of(self) -> float:
        """Gives the height of all lines."""
        return len(self.lines) * self.leading


def paper(path: Path) -> None:
    """Makes the supplementary paper."""
    width, height = A4
    left, top, bottom = 28 * mm, 24 * mm, 30 * mm
    wide = width - 2 * left

    def footer(canvas: Canvas, doc: BaseDocTemplate) -> None:
        canvas.setFillColor(GREY)
        canvas.setFont("Serif", 10.5)
        canvas.drawCentredString(width / 2, 18 * mm, f"E-{doc.page}")
        canvas.setFont("Han", 10)
        canvas.drawCentredString(width / 2, 12.5 * mm, "2026年5月20日")

    doc = _Book(
        path,
        pagesize=A4,
        title="汐汀市議會公共工程及環境事務委員會：補充資料文件（虛構）",
        lang="zh-Hant",
        subject="供測試軟件用的虛構文件。CC0-1.0.",
    )
    doc.addPageTemplates([PageTemplate("page", [_frame(left, bottom, wide, height - top - bottom)], onPage=footer)])
    centred = ParagraphStyle("c", fontName="Han-Bold", fontSize=19, leading=28, alignment=TA_CENTER, textColor=INK)
    story: list[Flowable] = [
        Paragraph("汐汀市議會", centred),
        Paragraph("公共工程及環境事務委員會", ParagraphStyle("c2", centred, fontSize=15, leading=23)),
        Paragraph("二〇二六年五月二十日特別會議", ParagraphStyle("c3", centred, fontName="Han", fontSize=12.5, leading=21)),
        Paragraph("補充資料文件", ParagraphStyle("c4", centred, fontSize=15, leading=26, textColor=WINE)),
        Paragraph(
            '（本文件所載的機構、人物、地點和數字全屬虛構；以 <font name="Serif">CC0 1.0</font> 發放。）',
            ParagraphStyle("c5", centred, fontName="Han", fontSize=10, leading=17, textColor=GREY, spaceAfter=8),
        ),
    ]
    for block in re.split(r"\n\s*\n", PAPER.strip()):
        text = "".join(line.strip() for line in block.splitlines())
        if block.startswith("# "):
            story += [CondPageBreak(135), Spacer(0, 8), _Han(text[2:], "Han-Bold", 16, 28, after=4, color=TEAL)]
        elif block.startswith("? "):
            story += [CondPageBreak(60), Spacer(0, 5), _Han(text[2:], "Han-Bold")]
        elif block.startswith("|"):
            rows = _rows(block)
            table = Table(
                [
                    [_Han(cell, "Han-Bold" if not number else "Han", 11, 16, after=0) for cell in row]
                    for number, row in enumerate(rows)
                ],
                colWidths=[wide * share for share in (0.19, 0.14, 0.14, 0.32, 0.21)],
            )
            table.setStyle(
                TableStyle(
                    [
                        ("FONT", (0, 0), (-1, -1), "Serif"),
                        ("GRID", (0, 0), (-1, -1), 0.5, RULE),
                        ("BACKGROUND", (0, 0), (-1, 0), PALE),
                        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
                        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
                    ]
                )
            )
            story += [KeepTogether([story.pop(), table]), Spacer(0, 10)]
        else:
            story.append(_Han(text, "Han"))
    doc.build(story)


FONTS = {
    "serif": "Serif",
    "serif-bold": "Serif-Bold",
    "serif-italic": "Serif-Italic",
    "sans": "Sans",
    "sans-bold": "Sans-Bold",
    "han": "Han",
    "han-bold": "Han-Bold",
}


def main() -> None:
    """Reads the fonts and makes the three files."""
    parser = argparse.ArgumentParser(description="Makes the example PDFs from the fonts named.")
    for option, name in FONTS.items():
        told = f"TrueType outlines for {name}; FILE#2 is the third face of a collection"
        parser.add_argument(f"--{option}", required=True, metavar="FILE[#N]", help=told)
    parser.add_argument("--out", type=Path, default=HERE, help="the folder to write to; this file's own by default")
    chosen = vars(parser.parse_args())
    for option, name in FONTS.items():
        file, _, index = chosen[option.replace("-", "_")].partition("#")
        pdfmetrics.registerFont(TTFont(name, file, subfontIndex=int(index or 0)))
    pdfmetrics.registerFontFamily("Serif", "Serif", "Serif-Bold", "Serif-Italic", "Serif-Bold")
    for make, name in ((handbook, "so-tay-thuoc"), (harbour, "harbour-report"), (paper, "supplementary-paper")):
        make(chosen["out"] / f"{name}.pdf")


if __name__ == "__main__":
    main()
