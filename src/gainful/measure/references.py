"""Where formulas come from: the key that a table entry cites, and the source it stands for."""

from collections.abc import Mapping

REFERENCES: Mapping[str, str] = {
    "jarvelin2002": (
        "K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. "
        "ACM TOIS 20(4), 2002. doi:10.1145/582415.582418"
    ),
    "burges2005": (
        "C. Burges et al.: Learning to rank using gradient descent. ICML 2005. "
        "doi:10.1145/1102351.1102363"
    ),
    "jarvelin2008": (
        "K. Järvelin, S. Price, L. Delcambre, M. Lykke Nielsen: Discounted cumulated gain based "
        "evaluation of multiple-query IR sessions. ECIR 2008. doi:10.1007/978-3-540-78646-7_4"
    ),
    "kanoulas2011": (
        "E. Kanoulas, B. Carterette, P. Clough, M. Sanderson: Evaluating multi-query sessions. "
        "SIGIR 2011. doi:10.1145/2009916.2010056"
    ),
    "wikipedia": "Wikipedia: Discounted cumulative gain, section Limitations.",
    "catboost": "CatBoost documentation: NDCG, denominator=Position.",
    "elliot": "V. W. Anelli et al.: Elliot, nDCG with a relevance threshold. SIGIR 2021.",
    "recommenders": "Microsoft recommenders, ndcg_at_k(score_type='binary').",
}
