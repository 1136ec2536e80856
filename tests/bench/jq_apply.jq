# A bulk update as a jq program: the first request of $requests on an export that is an array.
$requests[0] as $request
| ($request.issue_ids | map({key: ., value: true}) | from_entries) as $wanted
| map(
	if $wanted[.id] then
		.severity = $request.severity
		| .false_positive = $request.false_positive
		| .updated_at = "2026-11-21T00:00:00Z"
		| .notes += [{added_at: "2026-11-21T00:00:00Z", text: $request.notes}]
	else . end)
