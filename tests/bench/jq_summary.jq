# Peer: the issues summary (SPEC D9, D10) as a jq program. Use: jq -c -f jq_summary.jq EXPORT
# One pass counts; the recent ten are kept as [created_at, id, record] while the pass runs, so that
# nothing is sorted but ten records. Times are compared as text: generated ones have one form.

def levels: ["critical", "high", "medium", "low", "info"];

def members: [
  "id", "scan_id", "file_path", "line_number", "category", "severity", "confidence", "title",
  "description", "column_start", "column_end", "explanation", "code_snippet", "context_before",
  "context_after", "remediation", "remediation_code", "cwe_ids", "owasp_category", "cvss_score",
  "tags", "model_used", "false_positive", "exploitable", "created_at", "updated_at", "repo_name",
  "scan_status", "scan_created_at"
];

def as_response:
  . as $issue
  | reduce members[] as $name ({}; .[$name] = $issue[$name])
  | .false_positive = (.false_positive // false);

# Newest first; the id decides between equal times.
def newest_ten:
  group_by(.[0]) | reverse | map(sort_by(.[1])[]) | .[:10];

def keep($issue):
  ($issue.created_at // "") as $time
  | if (.recent | length) < 10 or $time >= .recent[-1][0]
    then .recent |= (. + [[$time, $issue.id, $issue]] | newest_ten)
    else . end;

def by_severity:
  . as $counts
  | reduce levels[] as $level ({}; .[$level] = ($counts[$level] // 0))
  | reduce ($counts | keys[] | select(. as $key | levels | index($key) | not)) as $key
      (.; .[$key] = $counts[$key]);

reduce .[] as $issue (
  {total: 0, false: 0, severity: {}, category: {}, recent: []};
  .total += 1
  | .severity[$issue.severity // "unknown"] += 1
  | .category[$issue.category // "unknown"] += 1
  | if $issue.false_positive then .false += 1 else . end
  | keep($issue)
)
| {
    total_issues: .total,
    issues_by_severity: (.severity | by_severity),
    issues_by_category: (.category | . as $counts
      | reduce keys[] as $key ({}; .[$key] = $counts[$key])),
    false_positive_count: .false,
    recent_issues: (.recent | map(.[2] | as_response))
  }
