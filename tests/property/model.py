"""A second opinion on bulk updates: SPEC D7 and D13 to D15 in a few lines of Python.

It shares no code and no reading of the rules with the program. Records and requests are what
json.loads() gives, with numbers that keep their text (schema_set.Number).
"""
import copy

LEVELS = ["critical", "high", "medium", "low", "info"]

# Table 2.1 of the contract, in its order.
MEMBERS = """id scan_id file_path line_number category severity confidence title description
column_start column_end explanation code_snippet context_before context_after remediation
remediation_code cwe_ids owasp_category cvss_score tags model_used false_positive exploitable
created_at updated_at repo_name scan_status scan_created_at""".split()


def response(issue):
    """An issue as it stands in an answer (D7): every member, and no others."""
    answer = {name: issue.get(name) for name in MEMBERS}
    if answer["false_positive"] is None:
        answer["false_positive"] = False
    return answer


def add_note(issue, text, at):
    """Append to the notes of an issue (D14)."""
    notes = issue.get("notes")
    if notes is None:
        notes = []
    elif isinstance(notes, str):
        notes = [{"added_at": None, "text": notes}]
    issue["notes"] = notes + [{"added_at": at, "text": text}]


def update_issue(issue, request, at):
    """What one request makes of one issue it names (D13)."""
    changed = False
    for name, missing in (("severity", None), ("false_positive", False), ("exploitable", None)):
        wanted = request.get(name)
        have = issue.get(name)
        if wanted is None or wanted == (missing if have is None else have):
            continue
        issue[name] = wanted
        changed = True
    if request.get("notes"):
        add_note(issue, request["notes"], at)
        changed = True
    if changed:
        issue["updated_at"] = at


def apply(issues, request, at):
    """Update issues (by id) and return the result document (contract 2.3, D15)."""
    updated, failed = [], []
    for name in dict.fromkeys(request["issue_ids"]):
        if name in issues:
            update_issue(issues[name], request, at)
            updated.append(response(copy.deepcopy(issues[name])))
        else:
            failed.append(name)
    return {
        "updated_count": len(updated),
        "failed_count": len(failed),
        "failed_issues": failed,
        "updated_issues": updated,
    }


def run(records, requests, times):
    """Apply all requests to a copy of the records; returns (records, results)."""
    records = copy.deepcopy(records)
    issues = {record["id"]: record for record in records if "rules_text" not in record}
    results = [apply(issues, request, at) for request, at in zip(requests, times)]
    return records, results


def result_fault(result, want):
    """What is wrong with a result document of the program, or None."""
    if list(result) != ["updated_count", "failed_count", "failed_issues", "updated_issues"]:
        return f"members {list(result)}"
    failures = result["failed_issues"]
    if any(list(failure) != ["issue_id", "error", "message"] or failure["error"] != "not_found" or
           not failure["message"] for failure in failures):
        return f"failed_issues {failures}"
    if any(list(issue) != MEMBERS for issue in result["updated_issues"]):
        return "the members of an updated issue or their order"
    counts = [result[name].text for name in ("updated_count", "failed_count")]
    if counts != [str(want["updated_count"]), str(want["failed_count"])]:
        return f"counts {counts}, want {want['updated_count']} and {want['failed_count']}"
    if [failure["issue_id"] for failure in failures] != want["failed_issues"]:
        return f"failed ids {failures}, want {want['failed_issues']}"
    for have, wanted in zip(result["updated_issues"], want["updated_issues"]):
        for name in MEMBERS:
            if have[name] != wanted[name] or type(have[name]) is not type(wanted[name]):
                return f"issue {wanted['id']!r}: {name}: {have[name]!r}, want {wanted[name]!r}"
    return None
