"""Where sentences end: a table of cases per language, then the laws that hold for any text."""

from __future__ import annotations

import time
from itertools import pairwise
from unicodedata import normalize

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pecia.text.sentences import CONTEXT, is_sentence_end, sentence_ends, sentence_ends_backwards

# Each case is the list of its sentences: joined, they are the input.
CASES: dict[str, list[list[str]]] = {
    "vi": [
        ["Uống thuốc sau bữa ăn.", " Không nhai viên."],
        ["Mã ATC: J01C A04."],
        ["Mã ATC: A02BC01; A02BC05.", " Thuốc kê đơn."],
        ["Mã J.01.C.A.04 dùng cho nhóm này.", " Mã khác là J01CA04.", " Xem phụ lục."],
        ["Liều tối đa 1.000.000 đơn vị, tức 3,5 mg/kg.", " Ở trẻ em giảm một nửa."],
        ["Số ca tăng đến năm 2020.", " 12 bệnh nhân đã khỏi."],
        ["PGS. TS. Lê Văn Tùng và BS. Hạnh cùng khám.", " Họ đều đồng ý."],
        ["Sốt, ho, đau họng, v.v. trong ba ngày đầu."],
        ["Ho, sốt, v.v.", " Cần khám lại ngay."],
        ["Nên bổ sung vitamin C.", " Thuốc này rẻ."],
        ["Ông là người nước Ý.", " Bà cần chú ý.", " Mai khỏi ở.", " Đi thôi!"],
        ["1. Liều dùng\n", "2. Cách dùng\n", "a) Người lớn\n", "b) Trẻ em"],
        ["Điều 5. Quyền của người bệnh\n\n", "Người bệnh được giải thích."],
        ["Suy thận:", " Giảm liều; theo dõi chặt."],
        ["Điện thoại: 0243 555 123; số lẻ: 12."],
        ["Bà hỏi “Có đau không?”.", " Ông đáp:", " “Không.”", " Đúng vậy."],
        ["Không dùng cho trẻ dưới 2 tuổi…", " Ưu tiên dạng siro."],
        ["Truy cập www.vi-du.vn/thuoc.html để xem.", " Đừng quên!"],
        ["Liều như sau: 1. Người lớn.", " 2. Trẻ em."],
        ["Ở Tp. Hồ Chí Minh trời nóng.", " Đường xa."],
    ],
    "zh-Hant": [
        ["病人已出院。", "請按時服藥。"],
        ["他說：「你好嗎？」", "她點頭。"],
        ["「真的嗎？」，他問。", "沒有人答。"],
        ["這是「真的！」的意思。", "懂了嗎？"],
        ["太好了！！", "真的？！", "走吧。"],
        ["他……沒有來。", "我走了……\n", "門開了。"],
        ["適應症：高血壓；", "心衰竭。"],
        ["用法如下：\n", "每日一次。"],
        ["（見附錄。）", "下一段。"],
        ["第一條\n\n", "本法自公布日施行。\n", "一、名稱。\n", "二、地址。"],
        ["劑量為３．５毫克。", "不可超量。"],
        ["第1. 總則在前。"],
        ["等等！……", "你聽。"],
        ["這行被硬換\n行了。", "下一句。"],
        ["每日 2.5 mg。", "禁忌：無"],
        ["（一）組織\n", "（二）職掌\n", "1.人事。\n", "2.會計。"],
    ],
    "zh-Hans": [
        ["他来了。", "我们走吧！", "好吗？"],
        ["他说:“好。”", "然后走了。"],
        ["真的吗?", "他不信。", "我信!", "走吧。"],
        ["“快跑！”", "小王喊。"],
        ['他说："好。"', "大家笑了。"],
        ["天黑了。", '"走吧。"', "他起身。"],
        ["规格：5mg；", "10mg；", "20mg。"],
        ["见图3.2。", "见表1。"],
        ["网址是 www.example.cn。", "邮箱 a.b@example.cn。"],
        ["增长3.5%。[2]", "其后下降。"],
        ["第三条 定义\n", "第四条 范围"],
        ["①称重。\n", "②混合。\n", "③过筛。"],
        ["结束了。  \n\n", "新的一章。"],
        ["《红与黑》！", "他读过。"],
        ["版本 v1.2.3 已发布。", " 下载吧。"],
    ],
    "en": [
        ["Dr. Smith met Mr. Jones.", " They talked."],
        ["He lives in the U.S. Army base.", " It is large."],
        ["She moved to the U.S.", " The house was small."],
        ["Take at 8 a.m. and 8 p.m.", " Swallow whole."],
        ["See Fig. 3 and Art. 5 on p. 12 of vol. II.", " Then rest."],
        ["J. R. R. Tolkien wrote it.", " We read it."],
        ["He has a Ph.D. in law.", " She has a B.Sc.", " The end."],
        ["It costs 3.50.", " 12 people paid 1,000.25 each."],
        ["“It is the end.”", " Next came rain.", " (See above.)", " Good."],
        ["“Really?” he asked.", " “Yes!”", " She left."],
        ["Apples, pears, etc.", " The rest is sold."],
        ["Use version v1.2.3 of file.name.txt from https://a.example/x.html?y=1.", " Restart."],
        ["4.2. Posology\n\n", "4.2.1 Adults\n", "- one\n", "- two\n"],
        ["Wait... what?", " Well...", " Fine?!", " No!!"],
        ["Tel: 123; fax: 124; code: ISO-8859.", " Note:", " Call."],
        [
            "A hard-wrapped line ends\nin the middle.",
            " It goes on.\n",
            "New line.",
        ],
        ["Give vitamin C.", " The dose is small.", " J. Doe agrees."],
        ["As shown by Jones et al. (2010), it works.[3]", " Others agree.¹", " 5% do not."],
        ["Great!", " 😀 Thanks."],
        ["No.", " I think not.", " Room No. 5 is free."],
        ["IV. Results\n\n", "They were good.\r\n\r\n", "The end"],
    ],
    "nl": [
        ["Dhr. De Vries en mevr. Jansen komen.", " Zij zijn op tijd."],
        ["Neem bijv. Paracetamol.", " Niet meer dan nodig."],
        ["Brood, kaas, enz.", " Daarna koffie."],
        ["Zie blz. 12 en art. 5.", " Het staat er."],
        ["De prijs is € 1.250,50.", " Dat is veel."],
        ["Prof. dr. ir. K. Bakker spreekt.", " Wij luisteren."],
        ["Om 10.30 uur begint het.", " Kom op tijd!"],
        ["Zij riep ‘Kom binnen!’", " Hij kwam."],
        ["Dank u.", " Het is goed."],
        ["D.w.z. Jan komt niet.", " Jammer."],
        ["Let op: 2 tabletten; niet kauwen."],
        ["’s Avonds regent het.", " Overdag niet."],
        ["De N.V. Philips groeit.", " De B.V. is klein."],
    ],
    "de": [
        ["Er nimmt z. B. Aspirin.", " Das hilft."],
        ["Er nimmt z.B. Aspirin, d.h. Tabletten.", " Sie nicht."],
        ["Am 3. Oktober ist frei.", " Im 19. Jahrhundert nicht."],
        ["Am 12. 5. 2020 kam er.", " Es regnete."],
        ["Diabetes Typ 2.", " Die Dosis ist klein."],
        ["Äpfel, Birnen usw.", " Dann Kaffee."],
        ["Siehe Abb. 3 und S. 12 ff.", " Dort steht es."],
        ["Dr. med. Weiß und Prof. Groß kommen.", " Sie sind da."],
        ["„Komm!“", " Er kam.", " »Ja.«", " Gut."],
        ["Das kostet 1.234,56 Euro.", " Viel Geld."],
        ["Nr. 5 lebt; der andere nicht;", " Nr. 6 auch."],
        ["Der II. Weltkrieg endete 1945.", " Danach kam Friede."],
        ["Die Fa. hat ca. 20 Mio. Euro, u. a. Aktien.", " Alle wissen es."],
        ["Übelkeit:", " Häufig.", " Öfter Müdigkeit."],
    ],
    "fr": [
        ["M. Dupont et Mme Petit arrivent.", " Ils sont là."],
        ["« Viens ! »", " Puis il partit."],
        ["Vraiment ?", " Oui.", " « Bien. »", " Fin."],
        ["Voir p. 12, art. 5 et fig. 3.", " C’est clair."],
        ["Il a 1 000 euros, soit 3,5 fois plus.", " Étonnant !"],
        ["Prenez, p. ex. Doliprane, le soir.", " Évitez le matin."],
        ["Né en 50 av. J.-C.", " Il mourut à Rome."],
        ["Pommes, poires, etc.", " La suite demain."],
        ["Posologie : 2 comprimés ; le soir."],
        ["Le Dr. Martin dit :", " « Non. »", " Elle rit."],
        ["Cf. Martin, vol. 4.", " À suivre…\n", "Fin."],
        ["– Oui.\n", "– Non !\n", "– Si."],
        ["J.-P. Sartre écrit.", " L’homme lit."],
        ["Que faire ?", " À demain."],
    ],
    "es": [
        ["El Sr. García y la Sra. López llegan.", " Son amigos."],
        ["¡Hola!", " ¿Qué tal?", " Bien."],
        ["Véase la pág. 12 y el art. 5.", " Está claro."],
        ["Frutas, p. ej. Manzanas, cada día.", " Él come poco."],
        ["Los EE. UU. ganaron.", " Después perdieron."],
        ["Cuesta 1.234,56 euros.", " ¡Caro!"],
        ["Pan, queso, etc.", " Luego café."],
        ["Dijo:", " «Ven.»", " Ella vino.", " «No», dijo."],
        ["Núm. 5 y núm. 6.", " El resto no."],
        ["Dª. Ana y D. Luis salen.", " Vuelven pronto."],
        ["Dosis: 5 mg; máximo: 10 mg."],
        ["Ud. Mismo lo vio.", " No lo niegue."],
        ["Hepatitis tipo B.", " Las vacunas ayudan."],
        ["En 2019.", " 12 pacientes murieron."],
    ],
    "pt": [
        ["O Sr. Silva e a Sra. Costa chegam.", " São amigos."],
        ["Ver pág. 12, art. 5 e fig. 3.", " Está claro."],
        ["O Dr. Souza e a Dra. Lima.", " Não vieram."],
        ["Use, p. ex. Dipirona, à noite.", " Evite de manhã."],
        ["Custa R$ 1.234,56.", " É caro!"],
        ["Pão, queijo, etc.", " Depois café."],
        ["“Venha.”", " Ela veio.", " “Não!”", " Foi embora."],
        ["Nr. 5 e n. 6.", " O resto não."],
        ["No séc. XX houve guerra.", " Ninguém ganhou."],
        ["Dose: 5 mg; máximo: 10 mg."],
        ["Onde está?", " Está aqui…", " Ótimo."],
        ["O Prof. A. B. Santos fala.", " Ouvimos."],
        ["Às 10h30.", " Até já!"],
        ["Vitamina B12.", " Óleo de peixe."],
    ],
    "structure": [
        ["No mark\n\n", "Title\r\n\r\n", "Text\r\r", "Next"],
        ["One\u2029", "two\u2028three\u2028\u2028", "four"],
        ["Stop.  \n \t\n", "  Go"],
        ["\n\nLeading lines.", " Trailing.  \n\n"],
        ["# Head\n", "## Sub\n", "* a\n", "• b\n", "1) c\n", "iv) d\n", "(ii) e"],
        ["**Bold.**", " _Italic._", " `Code.`", " Plain."],
        ["HLOOKUP(x [; Height]).", " Next."],
        ["   "],
        ["."],
        ["Dr.\nSmith came.\n", "He left"],
    ],
}


def pieces(text: str) -> list[str]:
    """The text cut at its sentence ends."""
    cuts = [0, *sentence_ends(text)]
    return [text[start:end] for start, end in pairwise(cuts)]


TABLE = [pytest.param(case, id=f"{name}-{number}") for name, cases in CASES.items() for number, case in enumerate(cases)]


@pytest.mark.parametrize("case", TABLE)
def test_sentences_of_each_language(case: list[str]) -> None:
    assert pieces("".join(case)) == case


@pytest.mark.parametrize("case", TABLE)
def test_decomposed_text_is_cut_where_composed_text_is(case: list[str]) -> None:
    assert pieces(normalize("NFD", "".join(case))) == [normalize("NFD", piece) for piece in case]


def test_an_empty_text_has_no_end() -> None:
    assert list(sentence_ends("")) == []
    assert not is_sentence_end("", 0)


PARTS = st.sampled_from(
    [*" \n\r\t.!?…;:,-*#()[]\"'“”«»。！？；：．「」、1aAZ", "\r\n", "\n\n", "\u2028", "\u2029", "\u00a0", "\u3000", "...",
     "v.v.", "etc.", "Dr.", "z. B.", "4.2.", "2020", "J01CA04", "Điều 5.", "Ơ", "ở", "đ", "Ư", "vitamin C.",
     "The", "word", "Thuốc", "病人",
     "說", "😀", "é", normalize("NFD", "Ở nhà"), normalize("NFD", "Thuốc"), " " * 45, "\n" * 3, "- ", "（一）", "①", "[1]", " »"]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=60).map("".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_ends_rise_and_the_pieces_give_the_text(text: str) -> None:
    ends = list(sentence_ends(text))
    assert ends == sorted(set(ends))
    assert "".join(pieces(text)) == text
    assert all(pieces(text))


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_any_window_gives_the_ends_of_the_whole(text: str, data: st.DataObject) -> None:
    ends = list(sentence_ends(text))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert list(sentence_ends(text, start, end)) == [offset for offset in ends if start < offset <= end]
    assert [offset for offset in range(len(text) + 1) if is_sentence_end(text, offset)] == ends


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.data())
def test_backwards_gives_the_same_ends(text: str, data: st.DataObject) -> None:
    text *= data.draw(st.sampled_from([1, 1, 9]))  # longer than the window that is looked through at once
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert list(sentence_ends_backwards(text, start, end)) == list(sentence_ends(text, start, end))[::-1]


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS, TEXTS, TEXTS, TEXTS)
def test_nothing_beyond_the_context_changes_a_decision(text: str, left: str, right: str, other: str, more: str) -> None:
    middle = (text * (1 + 3 * CONTEXT // (len(text) + 1)))[: 3 * CONTEXT] or " " * 3 * CONTEXT
    inner = range(CONTEXT, len(middle) - CONTEXT)
    one, two = left + middle + right, other + middle + more
    for offset in inner:
        assert is_sentence_end(one, len(left) + offset) == is_sentence_end(two, len(other) + offset)


@pytest.mark.parametrize("unit", [".", " ", "。", "a", "\n", "?!", "…", ")", "\n ", "A. ", "1. ", "。”", ". ", "- \n"])
def test_time_grows_with_the_length(unit: str) -> None:
    """1 MB of one sign takes 0.1 s here, of the worst two 1.0 s; a quadratic scan would take hours."""
    text = unit * (1_000_000 // len(unit))
    began = time.perf_counter()
    assert list(sentence_ends(text))[-1] == len(text)
    assert time.perf_counter() - began < 10
