"""The words that tie two English names: relation, types of both, gap between, whether the second is the head, confidence."""
# ruff: noqa: E501  (a pattern is read as one piece, however long)

from __future__ import annotations

from h3cold.schemas.graph import EntityType, RelationType

_RANK = (
    r"(?:(?:[Ee]xecutive|[Nn]on-[Ee]xecutive|[Ss]enior|[Vv]ice|[Cc]o-?|[Gg]lobal|[Aa]cting|[Ii]nterim|[Dd]eputy|[Gg]roup|[Ff]ounding"
    r"|[Ii]ndependent|[Ll]ead)[\s-]?){0,3}"
)
_OFFICE = (
    _RANK + r"(?:[Cc]hief\s(?:[A-Za-z]+\s){1,3}[Oo]fficer|[Cc]hief\s[Ee]xecutive|CEO|CFO|COO|CTO|CIO"
    r"|[Cc]hair(?:man|woman|person)?(?:\sof\s(?:the|our)\s[Bb]oard(?:\sof\s[Dd]irectors)?)?|[Pp]resident|[Dd]irector|[Tt]reasurer"
    r"|[Gg]eneral\s[Cc]ounsel|[Cc]orporate\s[Ss]ecretary|[Cc]ontroller|[Mm]anaging\s(?:[Dd]irector|[Pp]artner)|[Cc]o-?[Ff]ounder"
    r"|[Ff]ounder)"
)
OFFICES = _OFFICE + r"(?:\s?(?:,|and|&|,\sand)\s" + _OFFICE + r"){0,4}"
"""One or more offices, as in "Chairman, President and Chief Executive Officer"."""

FORM = (
    r"(?:exempted |limited |general |public |private |stock |business )?(?:corporation|company|limited liability company|limited partnership"
    r"|partnership|LLC|bank|trust|chartered bank)"
)
_BECAME = (
    r"(?:\s\(\d\d\)|,\s\d\d)?,?\s(?:(?:is|was|has|had|been|as|currently|now|also|previously|formerly|then|who|served|serves|serving|acted|acts|appointed"
    r"|elected|named|became|become|remains|promoted|to|joined)\s){0,5}(?:the\s|our\s|an?\s)?"
)
_OWNED = r"(?:direct |indirect |direct or indirect |wholly[- ]owned |majority[- ]owned |100% owned |principal |operating |former |[A-Z]\w+ |bank |broker-dealer )*"
BETWEEN: tuple[tuple[RelationType, EntityType, EntityType, str, bool, float], ...] = (
    # relation, type of the first and second name, what stands between them, whether the second is the head, confidence
    ("officer_of", "PERSON", "ORG", _BECAME + OFFICES + r"(?:,)?\s(?:of|at|for)\s(?:the\s|our\s)?", False, 0.85),
    ("officer_of", "PERSON", "AGENCY", r",?\s(?:(?:is|was|served as|serves as)\s)?(?:the\s|an?\s)?" + OFFICES + r"\s(?:of|at)\s(?:the\s)?", False, 0.8),
    ("officer_of", "ORG", "PERSON", r"(?:['’]s?)?\s(?:[Ff]ormer\s)?" + OFFICES + r",?\s(?:Mr\.\s|Ms\.\s|Mrs\.\s|Dr\.\s|Sir\s)?", True, 0.8),
    ("officer_of", "PERSON", "ORG", r",\s(?=[A-Z])(?:the\s)?", False, 0.0),
    ("subsidiary_of", "ORG", "ORG", r",?\s(?:is |was |became |remains )?(?:an? |the |our |one of the )?" + _OWNED + r"(?:subsidiary|unit|division|arm|part) of (?:the )?", False, 0.85),
    ("subsidiary_of", "ORG", "ORG", r"['’]s? " + _OWNED + r"subsidiar(?:y|ies),? (?:the )?", True, 0.85),
    ("subsidiary_of", "ORG", "ORG", r",?\s(?:which\s)?(?:is\s|was\s)?the\s(?:ultimate\s|direct\s|indirect\s|sole\s)?(?:parent|holding)(?:\scompany)?\s(?:of|for)\s(?:the\s)?", True, 0.85),
    ("acquires", "ORG", "ORG", r",?\s(?:which\s)?(?:was|were|had been|has been)\s(?:\w+\s)?sold\sto\s(?:the\s)?", True, 0.8),
    ("owns", "ORG", "ORG", r",?\s(?:which\s)?(?:is|was)\s(?:now\s|currently\s|wholly\s|majority\s|jointly\s|partly\s|\d[\d.]*% )?[- ]?(?:owned|controlled|held)(?: and operated)? by (?:the )?", True, 0.8),
    ("owns", "ORG", "ORG", r",?\s(?:now |currently )?(?:owned|controlled)(?: and operated)? by (?:the )?", True, 0.75),
    ("owns", "ORG", "ORG", r"\.?(?:,\s[^,.;]{2,60},)?\s(?:is|was|has been) (?:currently |also |now )?(?:the |an? )(?:(?:beneficial|record|registered|indirect|direct|sole|legal|and|or) ){0,4}(?:owner|holder) of (?:(?:approximately|about|over|some|more than|nearly) )?(?:(?:\d[\d.]*%|all) )?(?:of )?(?:the )?(?:(?:issued|outstanding|and|common|ordinary|voting) ){0,5}(?:shares|stock|equity|interests?)?(?:(?<=[a-z]) (?:of|in) )?(?:the )?", False, 0.8),
    ("owns", "PERSON", "ORG", r"\.?(?:,\s[^,.;]{2,60},)?\s(?:is|was|has been) (?:currently |also |now )?(?:the |an? )(?:(?:beneficial|record|registered|indirect|direct|sole|legal|and|or) ){0,4}(?:owner|holder) of (?:(?:approximately|about|over|some|more than|nearly) )?(?:(?:\d[\d.]*%|all) )?(?:of )?(?:the )?(?:(?:issued|outstanding|and|common|ordinary|voting) ){0,5}(?:shares|stock|equity|interests?)?(?:(?<=[a-z]) (?:of|in) )?(?:the )?", False, 0.8),
    ("acquires", "ORG", "ORG", r"['’]s? (?:recent |completed |\d{4} )?(?:acquisition|purchase|takeover) of (?:the )?", False, 0.75),
    ("acquires", "ORG", "ORG", r",?\s(?:which\s)?(?:was|were|had been|has been) (?:subsequently |later |then |recently )?(?:acquired|purchased|bought|taken over) by (?:the )?", True, 0.85),
    ("located_in", "ORG", "PLACE", r",?\s(?:is |are |was )?(?:an? )", False, 0.0),
    ("located_in", "ORG", "PLACE", r",?\s(?:which )?(?:is |are |was )?(?:currently |primarily |now )?(?:based|headquartered|located|situated|incorporated|organi[sz]ed)(?: under the laws of| and existing under the laws of)?(?: in| at| near)? (?:the )?(?:State of |Commonwealth of |City of )?", False, 0.8),
    ("located_in", "PLACE", "PLACE", r"(?:\s\([^()]{1,40}\))?(?:,|\s(?:is|was)) (?:an?|the) (?:[\w-]+,? ){0,4}(?:village|capital|camp|airport|school|community|hamlet|station|park|stadium|museum|valley|peak|castle|building|town|city|municipality|district|province|county|suburb|commune|neighbou?rhood|region|borough|river|lake|island|mountain)(?: and [\w-]+){0,3}(?: located| situated)? (?:in|of|near) (?:the )?(?:state of |province of |district of |county of )?", False, 0.8),
    ("regulated_by", "ORG", "AGENCY", r"[^.;]{0,60}\b(?:regulated|supervised|licensed|overseen) by (?:the )?", False, 0.75),
    ("regulated_by", "ORG", "AGENCY", r"[^.;]{0,60}\bsubject to (?:the )?(?:[\w-]+ ){0,3}(?:regulation|supervision|oversight|examination)(?:,? (?:and )?\w+){0,4} (?:by|of) (?:the )?", False, 0.75),
    ("penalised_by", "ORG", "AGENCY", r"[^.;]{0,80}\b(?:was|were|been) (?:fined|penali[sz]ed|sanctioned|ordered to pay|censured)\b[^.;]{0,60} by (?:the )?", False, 0.8),
    ("litigates_against", "ORG", "ORG", r"(?:,? (?:Inc|Corp|LLC|Ltd)\.?)?,? (?:et al\.? )?vs?\. (?:the )?", False, 0.8),
    ("litigates_against", "PERSON", "ORG", r"(?:,? et al\.?)?,? vs?\. (?:the )?", False, 0.8),
    ("litigates_against", "AGENCY", "ORG", r"(?:,? et al\.?)?,? vs?\. (?:the )?", False, 0.8),
    ("guarantees", "ORG", "ORG", r"[^.;]{0,20}\b(?:has |have )?(?:fully and unconditionally |unconditionally |irrevocably )?guarantee[sd]? (?:all |certain |the )?(?:of )?(?:the )?(?:[\w-]+ ){0,4}(?:of|by) (?:the )?", False, 0.75),
    ("supplies", "ORG", "ORG", r"\s(?:supplies|supplied|sells|sold|provides|provided)\s[^.;]{2,60}\sto (?:the )?", False, 0.65),
)  # fmt: skip
