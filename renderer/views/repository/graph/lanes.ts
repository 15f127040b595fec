/** What the layout needs of a commit. */
export type GraphCommit = { readonly id: string; readonly parent_ids: readonly string[] }

/**
 * A line inside one row. `from` and `to` are lanes, counted from 0 at the left. A line enters at the top (`top`), leaves at the
 * bottom (`bottom`), or does both (`whole`); the other end of the first two is the commit of the row.
 */
export type GraphLine = {
  readonly part: 'top' | 'bottom' | 'whole'
  readonly from: number
  readonly to: number
  /** The lane that gives the line its color. */
  readonly lane: number
}

/** The drawing of one row: the lane of its commit, all lines, and the number of lanes. */
export type GraphRow = { readonly lane: number; readonly lines: readonly GraphLine[]; readonly width: number }

/**
 * Lays out a history as lanes, a row for each commit. Commits come before their parents (topological order). A lane waits for
 * one commit; several lanes that wait for the same commit meet there. The first parent goes on in the lane of its
 * child, so a branch is a straight line; other parents take the first free lane.
 */
export const layOut = (commits: readonly GraphCommit[]): GraphRow[] => {
  /** The commit that each lane waits for; null is a free lane. */
  const waiting: (string | null)[] = []
  const take = (id: string): number => {
    const free = waiting.indexOf(null)
    const lane = free < 0 ? waiting.length : free
    waiting[lane] = id
    return lane
  }
  return commits.map(({ id, parent_ids }) => {
    const lines: GraphLine[] = []
    const known = waiting.indexOf(id)
    const lane = known < 0 ? take(id) : known
    waiting.forEach((wanted, at) => {
      if (wanted === id) {
        if (known >= 0) lines.push({ part: 'top', from: at, to: lane, lane: at })
      } else if (wanted !== null) lines.push({ part: 'whole', from: at, to: at, lane: at })
    })
    let width = waiting.length
    for (const [at, wanted] of waiting.entries()) if (wanted === id) waiting[at] = null
    for (const [index, parent] of [...new Set(parent_ids)].entries()) {
      const other = waiting.indexOf(parent)
      if (other < 0 && index === 0) waiting[lane] = parent
      const to = other >= 0 ? other : index === 0 ? lane : take(parent)
      lines.push({ part: 'bottom', from: lane, to, lane: to })
    }
    width = Math.max(width, waiting.length)
    while (waiting.at(-1) === null) waiting.pop()
    return { lane, lines, width }
  })
}
