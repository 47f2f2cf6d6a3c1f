"""Legacy encodings: which one, told apart at which length, and never a character replaced."""

import unicodedata
from itertools import count

import pytest

from pecia.errors import EncodingError
from pecia.parsing import encodings
from pecia.parsing.decode import CODES, Decoded, decode
from pecia.parsing.markdown import parse_markdown
from pecia.parsing.text import parse_text
from pecia.testing.documents import parsed

TEXTS = {
    "de": """Die Ärztin prüfte, ob der Patient das Mittel früher schon einmal genommen hatte. Für Kinder unter zwölf Jahren
gelten kürzere Abstände. „Größere Mengen“, schrieb sie, „lösen häufig Übelkeit aus.“ Später öffnete der Händler die Tür, grüßte
und fragte nach Brötchen. Im März fährt der Zug über Köln nach München; die Rückfahrt ist günstiger. Außerdem müssen Gäste ihre
Schlüssel am Schalter zurückgeben. Die Höhe der Gebühr beträgt 20 €, ermäßigt 12 €. Wir möchten wissen, wer
dafür zuständig ist.""",
    "fr": """L’été dernier, la préfète a présenté un rapport très détaillé sur la sécurité des médicaments. « Où étaient les
élèves ? » demanda-t-elle. Le garçon, âgé de huit ans, préférait rester à la maison près de la forêt. Après le dîner, ils
dégustèrent des crêpes à la crème brûlée. La dose doit être réduite chez le sujet âgé ; une surveillance étroite est nécessaire.
Noël approche, et déjà les vitrines reçoivent leurs décorations. Ça coûte 45 €, c’est-à-dire moins qu’à l’hôtel. Voilà pourquoi
le maître a créé cette école où naît l’espérance.""",
    "es": """El médico explicó que la medicación debía tomarse después de la comida. ¿Cuántas veces al día? Según el prospecto,
tres veces. Mañana por la mañana los niños irán al jardín con su compañía. ¡Qué alegría! Él también señaló que el
año pasado llovió más. La
nación eligió una comisión de investigación; el público pidió información. Mi cuñado está en Perú, donde aprendió a cocinar. La
situación económica mejoró rápidamente aquí, aunque todavía hay pequeños pueblos sin conexión. ¿Quién sabrá cuándo volverán?""",
    "pt": """A medicação não deve ser tomada durante a gravidez sem a avaliação do médico. É possível que a reação desapareça após
três dias. As crianças estão à espera da mãe no portão. O coração bate mais rápido; não há razão para preocupação. Amanhã de manhã
o pão será entregue às famílias da região. Ações e decisões são públicas. O avô contou histórias até o amanhecer. Você já leu as
informações sobre a dosagem? Lá está o irmão, que é professor de ciências. A questão foi além do que se previa em São João.""",
    "nl": """De patiënt kreeg daarna één tablet per dag; de reünie van de coöperatie werd geëvalueerd. België en Italië hebben
de richtlijn geïmplementeerd. Zoë vroeg zich af of de zeeën rond de eilanden zijn vervuild. Hij heeft vóór vrijdag geen ideeën
over het reële risico. De financiën zijn geregeld, zei de coördinator, en de knieën werden onderzocht. Het café naast de scène
serveert crème brûlée en paté. Drieëntwintig ruïnes liggen in Indonesië. De categorieën zijn beïnvloed door de zoölogie.""",
    "vi": """Người lớn uống một viên mỗi ngày, sau bữa ăn. Trẻ em dưới mười hai tuổi không được dùng thuốc này nếu chưa hỏi ý kiến
bác sĩ. Thuốc có thể gây buồn ngủ, chóng mặt và nhức đầu. Nước Việt Nam có nhiều tỉnh và thành phố. Chính phủ đã ban hành
nghị định mới về quản lý đất đai. Học sinh phải đến trường trước bảy giờ sáng. Mẹ tôi thường nấu cơm với cá kho
và rau muống. Trong trường
hợp quá liều, cần đưa bệnh nhân đến bệnh viện ngay lập tức. Ông ấy sống ở vùng quê yên tĩnh, nơi có những cánh đồng lúa chín vàng.
Đường phố Hà Nội vào mùa thu rất đẹp. Các điều khoản của hợp đồng được quy định tại khoản hai.""",
    "zh-Hant": """政府在上個月公布了新的藥物管理條例，要求所有醫院在明年三月之前提交報告。病人服藥後如有不適，應立即通知醫生。
主席問：局方會否檢討有關政策？局長答：會，我們正在研究各種方案。這個問題關係到每一個家庭，所以必須小心處理。去年本港共有三萬人參加了計劃
主席問：局方會否檢討有關政策？局長答：會，我們正在研究各種方案。這個問題關係到每一個家庭，所以必須小心處理。去年本港共有三萬人參加了計劃，
人數比前年增加了一成。學校將會為學生提供更多的支援，老師也可以申請額外的資源。這些書籍記載了古代人民的生活，讓我們認識歷史。
天氣漸漸變冷，山上的樹葉都紅了。他說，時間過得真快，轉眼又是一年。""",
    "zh-Hans": """国家药品监督管理局上个月发布了新的规定，要求各地医院在明年三月之前提交报告。患者服药后如果感到不适，
应当立即告诉医生。会议讨论了经济发展中的几个重要问题，并且通过了决议。这个问题关系到每一个家庭，所以必须认真对待。去年我们一共有三万人参加了这项计划，人数比前年增加
应当立即告诉医生。会议讨论了经济发展中的几个重要问题，并且通过了决议。这个问题关系到每一个家庭，所以必须认真对待。去年我们一共有三万人参加了这项计划，人数比前年增加了
一成。学校将为学生提供更多的帮助，老师也可以申请另外的经费。这些书记录了古代人民的生活，让我们了解历史。天气渐渐变冷，山上的树叶都红了
一成。学校将为学生提供更多的帮助，老师也可以申请另外的经费。这些书记录了古代人民的生活，让我们了解历史。天气渐渐变冷，山上的树叶都红了。
他说，时间过得真快，转眼又是一年。""",
    "ja": """この薬は一日三回、食事の後に飲んでください。子供には与えないこと。もし気分が悪くなった場合は、すぐに
医者に相談してください。昨日、私は友達と一緒に新しい図書館へ行きました。そこには古い本がたくさんあって、とても静かでした。政府は来年から制度を見直すと発表した
医者に相談してください。昨日、私は友達と一緒に新しい図書館へ行きました。そこには古い本がたくさんあって、とても静かでした。政府は来年から制度を見直すと発表した。
会社の説明によると、電車は来月から時間が変わるそうです。山の上から見た海は、とても青くて美しかった。先生は学生に「明日までに書いて出しなさい」と言った
会社の説明によると、電車は来月から時間が変わるそうです。山の上から見た海は、とても青くて美しかった。先生は学生に「明日までに書いて出しなさい」と言った。
日本の春は桜が咲き、多くの人が公園に集まります。""",
    "ko": """의사는 환자가 하루에 세 번 항상 식사 후에 약을 먹어야 한다고 설명했다. 부작용이 나타나면 병원에 연락해야 한다.
열두 살 미만의 어린이는 이 약을 사용해서는 안 된다. 작년에는 눈이 평소보다 많이 와서 아이들이 호수에서 스케이트를 탈 수 있었다.
정부는 다음 달부터 새로운 제도를 시행한다고 발표했다. 학교에서는 학생들에게 더 많은 책을 빌려 줄 계획이다.""",
}
LATIN = ("de", "fr", "es", "pt", "nl")
PAIRS = [
    *((language, "cp1252") for language in LATIN), ("vi", "tcvn3"), ("vi", "cp1258"), ("zh-Hant", "cp950"),
    ("zh-Hant", "big5hkscs"), ("zh-Hant", "gb18030"), ("zh-Hans", "gb18030"), ("ja", "gb18030"), ("ja", "cp932"),
    ("ja", "euc_jp"), ("ko", "cp949"),
]  # fmt: skip


def encoded(text: str, encoding: str) -> bytes:
    if encoding == "tcvn3":
        table = {character: code for code, character in enumerate(encodings._tcvn3()) if character != "\ufffe"}
        return bytes(table[character] for character in text)
    if encoding == "cp1258":  # the bare letter or ă â ê ô ơ ư, then the tone
        return b"".join(_with_tone(character) for character in text)
    return text.encode(encoding)


def _with_tone(character: str) -> bytes:
    try:
        return character.encode("cp1258")
    except UnicodeEncodeError:
        parts = unicodedata.normalize("NFD", character)
        tone = next(part for part in parts if part in "\u0300\u0301\u0303\u0309\u0323")
        return (unicodedata.normalize("NFC", parts.replace(tone, "")) + tone).encode("cp1258")


def excerpts(language: str, length: int, most: int = 60) -> list[str]:
    """Pieces of about `length` characters that begin at words, with a character outside ASCII in each."""
    text = (
        " ".join(TEXTS[language].split()) if language not in {"zh-Hant", "zh-Hans", "ja"} else TEXTS[language].replace("\n", "")
    )
    if language == "vi":  # .Vn fonts have no capitals with a tone
        text = "".join(c if c in encodings._tcvn3() else c.lower() for c in text)
    turning = text + " " + text * (length // len(text) + 1)
    starts = [0, *(at + 1 for at, character in enumerate(text) if character in " ，。、")]
    step = max(1, len(starts) // most)
    found = [turning[start : start + length] for start in starts[::step]]
    return [piece for piece in found if not piece.isascii()]


def read_as(data: bytes) -> tuple[str | None, str, set[str]]:
    try:
        decoded = decode(data)
    except EncodingError:
        return None, "", set()
    return decoded.encoding, unicodedata.normalize("NFC", decoded.text), {finding.rule for finding in decoded.findings}


@pytest.mark.parametrize("length", [80, 400, 5000])
@pytest.mark.parametrize(("language", "encoding"), PAIRS)
def test_the_text_of_every_encoding_is_read(language: str, encoding: str, length: int) -> None:
    for text in excerpts(language, length, 12):
        found, read, rules = read_as(encoded(text, encoding))
        assert read == text, (found, text)
        assert length < 400 or "ENC102" not in rules
        assert ("ENC104" if encoding == "tcvn3" else "ENC101") in rules


def test_a_short_text_is_read_rightly_or_said_to_be_in_doubt() -> None:
    tally = {"right": 0, "doubted": 0, "refused": 0}
    for language, encoding in PAIRS:
        for text in excerpts(language, 20):
            found, read, rules = read_as(encoded(text, encoding))
            outcome = "right" if read == text else "doubted" if "ENC102" in rules else "refused" if found is None else "wrong"
            assert outcome != "wrong", (found, text)
            tally[outcome] += 1
    assert tally["right"] > 0.96 * sum(tally.values()), tally


FOREIGN = [
    ("cp1251", "Врач объяснил, что пациент должен принимать лекарство три раза в день, всегда после еды и с водой."),
    ("koi8-r", "Если появятся побочные действия, следует обратиться в больницу; детям это средство не дают."),
    ("cp1253", "Ο γιατρός εξήγησε ότι ο ασθενής πρέπει να παίρνει το φάρμακο τρεις φορές την ημέρα."),
    (
        "cp1254",
        "Doktor, hastanın ilacı günde üç kez, her zaman yemekten sonra alması gerektiğini açıkladı. Şimdi yağmur yağıyor.",
    ),
    ("cp1250", "Jeśli wystąpią działania niepożądane, należy zgłosić się do szpitala; więcej śniegu, łyżwy, źdźbło."),
    ("cp437", " ".join(TEXTS["de"].translate(dict.fromkeys(map(ord, "„“€"), "'")).split())),
    ("mac_roman", " ".join(TEXTS["fr"].split())),
]


@pytest.mark.parametrize(("encoding", "text"), FOREIGN)
def test_encodings_that_are_not_known_are_refused_and_not_guessed(encoding: str, text: str) -> None:
    with pytest.raises(EncodingError, match=r"byte 0x.. at offset"):
        decode(text.encode(encoding))


def test_tcvn3_is_the_standard_but_for_the_capitals_that_fonts_do_not_have() -> None:
    table = {chr(code): character for code, character in zip(count(), encodings._tcvn3(), strict=False)}
    assert "".join(table[c] for c in "ViÖt Nam, n­íc Céng hoµ X· héi chñ nghÜa") == "Việt Nam, nước Cộng hoà Xã hội chủ nghĩa"
    letters = [c for c in table.values() if c > "\xa0" and c.isalpha()]
    toned = {unicodedata.normalize("NFC", v + t) for v in "aăâeêioôơuưy" for t in ("", *"\u0300\u0301\u0303\u0309\u0323")}
    assert {c for c in letters if c.islower()} == {c for c in toned if not c.isascii()} | {"đ"}
    assert sorted(c for c in letters if c.isupper()) == sorted("ĂÂÊÔƠƯĐ")
    assert len(set(letters)) == len(letters)


@pytest.mark.parametrize(("word", "is_one"), [
    ("nghiêng", True), ("Việt", True), ("quốc", True), ("giết", True), ("gì", True), ("ở", True), ("ƯỚC", True),
    ("viêt", False), ("vìêt", False), ("été", False), ("für", False), ("ộ", False), ("tiềc", False), ("nghñ", False),
])  # fmt: skip
def test_syllables(word: str, is_one: bool) -> None:
    assert encodings.is_syllable(word) is is_one


def rules(decoded: Decoded) -> list[str]:
    return [finding.rule for finding in decoded.findings]


def test_a_finding_says_which_byte_and_which_encoding() -> None:
    decoded = decode("## können\n".encode("cp1252"))
    assert (decoded.text, decoded.encoding) == ("## können\n", "cp1252")
    assert decoded.findings[0].message == "read as cp1252: byte 0xf6 at offset 4 is not UTF-8"


def test_two_encodings_that_both_fit_are_named() -> None:
    (_, doubt) = decode(b"thu n\xe9").findings
    assert doubt.rule == "ENC102"
    assert doubt.message == "both cp1252 and tcvn3 fit; read as cp1252: 'né', not 'nộ'"


@pytest.mark.parametrize("word", ["Người lớn uống thuốc", "café crème", "l’été — déjà", "政府公布", "Größe über"])
def test_mojibake_is_found_and_left_as_it_is(word: str) -> None:
    wrong = "plain\n" + word.encode().decode("cp1252", "ignore") + "\n"
    decoded = decode(wrong.encode())
    assert decoded.text == wrong
    assert rules(decoded) == ["ENC103"]
    assert decoded.findings[0].message.startswith("line 2: ")


def test_letters_of_a_font_in_unicode_are_found() -> None:
    text = "\n".join(TEXTS["vi"].split("\n"))
    text = "".join(c if c in encodings._tcvn3() else c.lower() for c in text.replace("\n", " \n"))
    assert rules(decode("\n".join(encoded(line, "tcvn3").decode("latin-1") for line in text.split("\n")).encode())) == ["ENC103"]


@pytest.mark.parametrize("language", TEXTS)
def test_good_unicode_has_no_finding(language: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-32-le", "utf-32-be"):
        assert decode(TEXTS[language].encode(encoding)).findings == ()


@pytest.mark.parametrize("text", ["„Ä“ ist ein Buchstabe", "« DÉJÀ », «CAFÉ»", "MANHû, disse", "¿Allá»", "n° 5, 3 €, ½"])
def test_capitals_before_quotes_are_no_mojibake(text: str) -> None:
    assert decode(text.encode()).findings == ()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (bytes(range(4)) * 100, "NUL"),
        (b"".join(number.to_bytes(4, "big") for number in range(500)), "."),
        (b"\xe9\x01\x02\x03", "3 control characters, the first at byte 1"),
        (bytes(range(128, 256)) * 40, "byte 0x80 at offset 0"),
        (b"\xff\xfe\x00", "utf-16-le"),
        (b"\xef\xbb\xbfcaf\xe9", "0xe9 at offset 6"),
    ],
)
def test_binary_and_broken_unicode_are_refused(data: bytes, says: str) -> None:
    with pytest.raises(EncodingError, match=says):
        decode(data)


def test_a_sample_decides_but_the_whole_file_must_fit() -> None:
    text = encoded(" ".join(TEXTS["de"].split()) + "\n", "cp1252") * 4000
    middle = len(text) // 64
    with pytest.raises(EncodingError, match=r"nor is it cp1252 text: byte 0x8d at offset \d+"):
        decode(text[: middle * 31] + b" \x8d " + text[middle * 31 :])


def test_findings_reach_the_document_and_nothing_is_missing() -> None:
    data = encoded("".join(c if c in encodings._tcvn3() else c.lower() for c in TEXTS["vi"]), "cp1258")
    for name, parser in (("a.txt", parse_text), ("a.md", parse_markdown)):
        document = parsed(data, name, parser)
        assert [finding.rule for finding in document.findings] == ["ENC101"]
        assert "mười hai tuổi" in document.text
        assert document.ledger().missing == 0


def test_every_code_says_what_why_and_gives_an_example() -> None:
    assert all("\n\nWhy: " in text and "\nExample: " in text for _, text in CODES.values())
