"""Chinese relations that take a whole clause, or the document, to read: penalties, offices, parties, laws."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from h3cold.kg.aliases import SELF_ZH
from h3cold.kg.forms_zh import HEDGE
from h3cold.kg.spans import Found, Span
from h3cold.kg.words_zh import OUTSIDERS

_TARGET = re.compile(r"(?:对|给予|责令|向|决定对|依法对|并对)$")
_ACT = re.compile(
    r"处罚|罚款|警告|处以|立案|谴责|通报批评|监管措施|警示函|责令改正|没收|罚没|监管谈话|市场禁入|罚金|行政处罚|处\d|罚\d"
)
_DENIED = re.compile(r"不予(?:行政)?处罚|免予处罚|未对|没有对|不对|撤销")
_SELF = frozenset(SELF_ZH)
_HIRED = re.compile(r"(?:聘任|聘请|任命|选举|委任|推选|聘用|决定由|改由|由)$")
_ROLE = r"(?:原|前|现任|时任|新任|代理|首任|名誉|联席)?"
_LAW_TIE = re.compile(
    r"^(?:[^。；《》]{0,6})(修订|修改|废止|替代|取代|修正|代替)(?:了|案)?(?:的)?(?:原)?$|^(?:[^。；《》]{0,8})(?:根据|依据|按照|依照)$"
)
_LAW_OUT = re.compile(r"^[^。；]{0,30}?(?:同时|予以|即行|将)?(废止|失效)")
_MADE = re.compile(r"(?:等[^，。]{0,12})?[，,]?(?:特|现|由此)?(?:制定|修订|颁布|发布)(?:了|本)?")
_BY_LAW = re.compile("(?:根据|依据|按照|依照)$")
_GIVES_WAY = re.compile("(?:已|现|将)?(?:被|由)")
_AWAY = re.compile("所?(废止|替代|取代|修订|修改|代替)")
_BOTH = re.compile(r"甲乙(?:丙|丁)*(?:双方|各方|三方|四方)|(?:双方|各方)(?:于|经|在|一致|协商|本着|签)")


def penalties(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "证监会因…，对甲公司给予警告，并处以500万元罚款；对乙处以80万元": each party that the authority turns to."""
    bodies = [s for s in names if s.type == "AGENCY"]
    if not bodies or not _ACT.search(text):
        return
    for index, party in enumerate(names):
        if party.type not in ("ORG", "PERSON"):
            continue
        before = text[max(0, party.start - 6) : party.start]
        body = next((b for b in reversed(bodies) if b.end <= party.start), None)
        if body is None or not _TARGET.search(before):
            continue
        following = (n for n in names[index + 1 :] if _TARGET.search(text[max(0, n.start - 6) : n.start]))
        end = next((n.start for n in following if n.type in ("ORG", "PERSON")), len(text))
        stop = min(end, next((m.start() for m in re.finditer("[。；;]", text) if m.start() > party.end), len(text)))
        clause = text[party.end : stop]
        act = list(_ACT.finditer(clause))
        if act and not _DENIED.search(text[body.end : stop]) and not HEDGE.search(text[body.end : party.start]):
            yield Found("penalised_by", party, body, body.start, party.end + act[-1].end(), 0.85)


def offices(text: str, names: Sequence[Span], titles: str, company: Span | None) -> Iterator[Found]:
    """ "甲公司聘任张三为总经理", and "董事长张三" where no company is named: the document's own."""
    after = re.compile(rf"(?:为|担任|出任|任|接任|继任|兼任)(?:公司|本公司|集团)?(?:新任|新一任)?({titles})")
    lead = re.compile(
        rf"(?:^|[，。；,;、：:\s及和]|公司|本公司)(?:公司|本公司|其)?{_ROLE}({titles})(?:为|系|是|由|[:：])?$"
    )
    for index, person in enumerate(names):
        if person.type != "PERSON":
            continue
        orgs = [n for n in names[:index] if n.type in ("ORG", "AGENCY")]
        before, behind = text[max(0, person.start - 30) : person.start], text[person.end : person.end + 24]
        if (hired := _HIRED.search(before)) and (match := after.match(behind)):
            owner = next((o for o in reversed(orgs) if person.start - o.end <= 20), company)
            follow = next((n for n in names[index + 1 :] if n.type == "ORG" and n.start - person.end <= 6), None)
            owner = follow if follow is not None and owner is company else owner
            start = max(0, person.start - 30) + hired.start()
            if owner is not None and not HEDGE.search(before[-12:]):
                start, end = min(start, owner.start or start), person.end + match.end()
                yield Found("officer_of", person, owner, start, end, 0.8, match.group(1))
        elif company is not None and all(o.text in _SELF for o in orgs) and (match := lead.search(before)):
            if match.group(1) in OUTSIDERS:
                continue
            start = max(0, person.start - 30) + match.start(1)
            yield Found("officer_of", person, company, start, person.end, 0.75, match.group(1))


def parties(text: str, names: Sequence[Span], both: Sequence[Span]) -> Iterator[Found]:
    """ "甲乙双方…签订《合同》": the parties that the document defined (`both`)."""
    said = _BOTH.search(text)
    if said is None or not both or HEDGE.search(text[: said.end()]):
        return
    for contract in (n for n in names if n.type == "CONTRACT" and n.start > said.start()):
        if re.search("签|订立|达成", text[said.start() : contract.start]):
            for party in both:
                yield Found("party_to", party, contract, said.start(), contract.end, 0.75)


def laws(text: str, spans: Sequence[Span]) -> Iterator[Found]:
    """ "《甲》修订了《乙》", "《甲》根据《乙》制定", "《乙》同时废止"."""
    found = [s for s in spans if s.type == "LAW" and s.text.startswith("《")]
    for first, second in pairwise(found):
        gap = text[first.end : second.start]
        if (match := _LAW_TIE.match(gap)) and not HEDGE.search(gap):
            yield Found("cites", first, second, first.start, second.end, 0.75, match.group(1) or "")
        elif _MADE.fullmatch(gap) and _BY_LAW.search(text, 0, first.start) and not HEDGE.search(gap):
            yield Found("cites", second, first, first.start, second.end, 0.75)
        elif _GIVES_WAY.fullmatch(gap) and (out := _AWAY.match(text, second.end)):
            yield Found("cites", second, first, first.start, out.end(), 0.75, out.group(1))
        elif "施行" in gap and (out := _LAW_OUT.match(text[second.end :])):
            yield Found("cites", first, second, first.start, second.end + out.end(), 0.7, out.group(1))


def made_by(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "《采购合同》由甲公司与乙公司签订", "总部设在北京的甲公司"."""
    for index, name in enumerate(names):
        behind = names[index + 1 :]
        if name.type == "CONTRACT" and behind and _BY.fullmatch(text[name.end : behind[0].start]):
            joined = [behind[0]]
            for one in behind[1:]:
                if not _JOINED.fullmatch(text[joined[-1].end : one.start]):
                    break
                joined.append(one)
            if signed := _SIGNED.match(text, joined[-1].end):
                for party in joined:
                    yield Found("party_to", party, name, name.start, signed.end(), 0.78)
        elif name.type == "PLACE" and (seat := _SEAT.search(text, max(0, name.start - 8), name.start)):
            owner = behind[0] if behind and text[name.end : behind[0].start] == "的" else None
            if owner is not None and owner.type == "ORG":
                yield Found("located_in", owner, name, seat.start(), owner.end, 0.78)


_BY = re.compile("(?:是|系|已)?由")
_JOINED = re.compile("[、和与及同]|以及")
_SIGNED = re.compile(r"(?:双方|共同|于[\d年月日]{4,12})?(?:签订|签署|订立|达成)")
_SEAT = re.compile("(?:总部|注册地|注册|公司)(?:设在|位于|设于|在|为)$")


def careers(text: str, names: Sequence[Span]) -> Iterator[Found]:
    """ "张三现任甲公司董事长，曾任职于乙公司": the later clauses of a sentence that begins with a person."""
    person = names[0] if names and names[0].type == "PERSON" else None
    if person is None or any(n.type == "PERSON" for n in names[1:]):
        return
    for name in names[1:]:
        before = text[max(person.end, name.start - 8) : name.start]
        if name.type in ("ORG", "AGENCY") and _WORKED.search(before) and not HEDGE.search(before):
            yield Found("employed_by", person, name, person.start, name.end, 0.7)


_WORKED = re.compile(r"(?:任职于|就职于|供职于|加入|效力于|工作于|服务于|入职)(?:了)?$")
