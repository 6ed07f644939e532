package mcphttp

// nearest is the name with the fewest edits between it and what was asked for, or "" if that is hopelessly long.
func nearest(asked string, names []string) string {
	const longest = 128
	if len(asked) > longest {
		return ""
	}
	best, least := "", 1<<30
	for _, name := range names {
		if d := distance(asked, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// distance counts the bytes that must be inserted, removed or changed.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
