"""The measures of whole sessions, in the order in which they are listed."""

from gainful.measure.functions.sessions.aspects import ASPECTS
from gainful.measure.functions.sessions.query_measures import BY_QUERY
from gainful.measure.functions.sessions.sdcg import SDCG
from gainful.measure.functions.sessions.time_measures import TIME_AND_COST
from gainful.measure.functions.sessions.user_models import USER_MODELS
from gainful.page.table import NameTable

_ALL = (*SDCG, *USER_MODELS, *TIME_AND_COST, *ASPECTS, *BY_QUERY)
SESSION_MEASURES = NameTable("session measures", _ALL)
WITH_VECTORS = tuple(name for name, entry in SESSION_MEASURES.items() if entry.has_vectors)
