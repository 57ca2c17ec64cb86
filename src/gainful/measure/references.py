"""Where formulas come from: the key that a table entry cites, and the source it stands for."""

from collections.abc import Mapping

# A key, and the source that it stands for, whose other lines are indented.
_SOURCES = """
jarvelin2002: K. Järvelin, J. Kekäläinen: Cumulated gain-based evaluation of IR techniques. ACM TOIS
    20(4), 2002. doi:10.1145/582415.582418
burges2005: C. Burges et al.: Learning to rank using gradient descent. ICML 2005.
    doi:10.1145/1102351.1102363
jarvelin2008: K. Järvelin, S. Price, L. Delcambre, M. Lykke Nielsen: Discounted cumulated gain based
    evaluation of multiple-query IR sessions. ECIR 2008. doi:10.1007/978-3-540-78646-7_4
kanoulas2011: E. Kanoulas, B. Carterette, P. Clough, M. Sanderson: Evaluating multi-query sessions.
    SIGIR 2011. doi:10.1145/2009916.2010056
lipani2019: A. Lipani, B. Carterette, E. Yilmaz: From a user model for query sessions to session
    rank biased precision (sRBP). ICTIR 2019. doi:10.1145/3341981.3344216
wicaksono2021: A. F. Wicaksono, A. Moffat: Modeling search and session effectiveness. Information
    Processing & Management, July 2021.
azzopardi2018: L. Azzopardi, P. Thomas, N. Craswell: Measuring the utility of search engine result
    pages: an information foraging based measure. SIGIR 2018. doi:10.1145/3209978.3210027
smucker2012: M. Smucker, C. Clarke: Time-based calibration of effectiveness measures. SIGIR 2012.
    doi:10.1145/2348283.2348300
sakai2013: T. Sakai, Z. Dou: Summaries, ranked retrieval and sessions: a unified framework for
    information access evaluation. SIGIR 2013. doi:10.1145/2484028.2484031
azzopardi2011: L. Azzopardi: The economics in interactive information retrieval. SIGIR 2011.
    doi:10.1145/2009916.2009923
over1999: P. Over: TREC-7 interactive track report. NIST SP 500-242, 1999.
luo2013: J. Luo, C. Wing, H. Yang, M. Hearst: The water filling model and the cube test:
    multi-dimensional evaluation for professional search. CIKM 2013.
trec_dd: Georgetown University: scorer of the TREC Dynamic Domain track.
    github.com/trec-dd/trec-dd-jig
session_track: E. Kanoulas: session_eval.py, TREC Session Track, 2012. trec.nist.gov
wikipedia: Wikipedia: Discounted cumulative gain, section Limitations.
catboost: CatBoost documentation: NDCG, denominator=Position.
catboost_filtered: CatBoost documentation: FilteredDCG.
elliot: V. W. Anelli et al.: Elliot, nDCG with a relevance threshold. SIGIR 2021.
recommenders: Microsoft recommenders, ndcg_at_k(score_type='binary').
trec_eval: C. Buckley, I. Soboroff et al.: trec_eval, NIST. github.com/usnistgov/trec_eval
buckley2000: C. Buckley, E. Voorhees: Evaluating evaluation measure stability. SIGIR 2000.
    doi:10.1145/345508.345543
buckley2004: C. Buckley, E. Voorhees: Retrieval evaluation with incomplete information. SIGIR 2004.
    doi:10.1145/1008992.1009000
rijsbergen1979: C. J. van Rijsbergen: Information Retrieval. Butterworths, 1979.
voorhees1999: E. Voorhees: The TREC-8 question answering track report. TREC 1999.
yilmaz2006: E. Yilmaz, J. Aslam: Estimating average precision with incomplete and imperfect
    judgments. CIKM 2006. doi:10.1145/1183614.1183633
robertson2006: S. Robertson: On GMAP, and other transformations. CIKM 2006.
    doi:10.1145/1183614.1183630
robertson2012: S. Robertson: On smoothing average precision. ECIR 2012.
chapelle2009: O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected reciprocal rank for graded
    relevance. CIKM 2009. doi:10.1145/1645953.1646033
bailey2015: P. Bailey, A. Moffat, F. Scholer, P. Thomas: User variability and IR system evaluation.
    SIGIR 2015. doi:10.1145/2766462.2767728
moffat2012: A. Moffat, F. Scholer, P. Thomas: Models and metrics: IR evaluation as a user process.
    ADCS 2012. doi:10.1145/2407085.2407092
zhang2017: F. Zhang et al.: Evaluating web search with a bejeweled player model. SIGIR 2017.
    doi:10.1145/3077136.3080841
clarke2021: C. Clarke, A. Vtyurina, M. Smucker: Assessing top-k preferences. ACM TOIS 39(3), 2021.
    doi:10.1145/3451161
clarke2008: C. Clarke et al.: Novelty and diversity in information retrieval evaluation. SIGIR 2008.
    doi:10.1145/1390334.1390446
clarke2009: C. Clarke, M. Kolla, O. Vechtomova: An effectiveness measure for ambiguous and
    underspecified queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17
agrawal2009: R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong: Diversifying search results. WSDM
    2009. doi:10.1145/1498759.1498766
zhai2003: C. Zhai, W. Cohen, J. Lafferty: Beyond independent relevance: methods and evaluation
    metrics for subtopic retrieval. SIGIR 2003. doi:10.1145/860435.860440
sakai2007: T. Sakai: On the reliability of information retrieval metrics based on graded relevance.
    Information Processing & Management 43(2), 2007. doi:10.1016/j.ipm.2006.07.020
moffat2008: A. Moffat, J. Zobel: Rank-biased precision for measurement of retrieval effectiveness.
    ACM TOIS 27(1), 2008. doi:10.1145/1416950.1416952
azzopardi2021: L. Azzopardi, J. Mackenzie, A. Moffat: ERR is not C/W/L: exploring the relationship
    between expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239
ir_measures: S. MacAvaney, C. Macdonald, I. Ounis: Streamlining evaluation with ir-measures. ECIR
    2022. doi:10.1007/978-3-030-99739-7_38
bassani2022: E. Bassani: ranx: a blazing-fast Python library for ranking evaluation and comparison.
    ECIR 2022. doi:10.1007/978-3-030-99739-7_30
ragas: S. Es, J. James, L. Espinosa-Anke, S. Schockaert: RAGAs: automated evaluation of retrieval
    augmented generation. EACL 2024. doi:10.18653/v1/2024.eacl-demo.16
sakai2007b: T. Sakai: On the properties of evaluation metrics for finding one highly relevant
    document. IPSJ Transactions on Databases 48(SIG 9), 2007.
sakai2008: T. Sakai, S. Robertson: Modelling a user population for designing information retrieval
    metrics. EVIA 2008.
gulin2009: A. Gulin, P. Karpovich, D. Raskovalov, I. Segalovich: Yandex at ROMIP'2009: optimization
    of ranking algorithms by machine learning methods. ROMIP 2009.
ge2010: M. Ge, C. Delgado-Battenfeld, D. Jannach: Beyond accuracy: evaluating recommender systems by
    coverage and serendipity. RecSys 2010. doi:10.1145/1864708.1864761
shani2011: G. Shani, A. Gunawardana: Evaluating recommendation systems. Recommender Systems
    Handbook, 2011. doi:10.1007/978-0-387-85820-3_8
zhou2010: T. Zhou et al.: Solving the apparent diversity-accuracy dilemma of recommender systems.
    PNAS 107(10), 2010. doi:10.1073/pnas.1000488107
fawcett2006: T. Fawcett: An introduction to ROC analysis. Pattern Recognition Letters 27(8), 2006.
    doi:10.1016/j.patrec.2005.10.010
matthews1975: B. W. Matthews: Comparison of the predicted and observed secondary structure of T4
    phage lysozyme. Biochimica et Biophysica Acta 405(2), 1975. doi:10.1016/0005-2795(75)90109-9
tensorflow_ranking: R. K. Pasumarthi et al.: TF-Ranking: scalable TensorFlow library for
    learning-to-rank. KDD 2019. doi:10.1145/3292500.3330677
"""

REFERENCES: Mapping[str, str] = dict(
    source.split(": ", maxsplit=1)
    for source in _SOURCES.strip().replace("\n    ", " ").splitlines()
)
