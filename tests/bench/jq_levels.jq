# The levels of a SARIF log's results, and nothing else.
reduce .runs[].results[] as $result
  ({"error": 0, "warning": 0, "note": 0, "none": 0}; .[$result.level // "warning"] += 1)
