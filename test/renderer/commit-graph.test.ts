import { describe, expect, it } from 'vitest'

import { layOut, type GraphCommit, type GraphRow } from '../../renderer/views/repository/graph/lanes.ts'

const history = (...lines: string[]): GraphCommit[] =>
  lines.map((line) => {
    const [id = '', ...parent_ids] = line.split(' ')
    return { id, parent_ids }
  })

/** The commits that the lines below a commit lead to, followed row by row. */
const reached = (commits: readonly GraphCommit[], rows: readonly GraphRow[], start: number): string[] =>
  rows[start]!.lines.filter((line) => line.part === 'bottom').flatMap((line) => {
    let lane = line.to
    for (let at = start + 1; at < rows.length; at++) {
      const next = rows[at]!.lines.find((line) => line.part !== 'bottom' && line.from === lane)
      if (!next) return `a line ends before row ${at}`
      if (next.part === 'top') return commits[at]!.id
      lane = next.to
    }
    return []
  })

const check = (commits: readonly GraphCommit[]): GraphRow[] => {
  const rows = layOut(commits)
  const ids = new Set(commits.map((commit) => commit.id))
  commits.forEach(({ parent_ids }, at) => {
    const expected = [...new Set(parent_ids)].filter((id) => ids.has(id)).sort()
    expect(reached(commits, rows, at).sort()).toEqual(expected)
  })
  for (const { lane, lines, width } of rows) {
    expect(Math.max(lane, ...lines.flatMap((line) => [line.from, line.to]))).toBeLessThan(width)
  }
  return rows
}

describe('the lanes of a history', () => {
  it('are one for a straight history', () => {
    expect(check(history('c b', 'b a', 'a')).map((row) => [row.lane, row.width])).toEqual([
      [0, 1],
      [0, 1],
      [0, 1],
    ])
  })

  it('split at a merge, and join where the branch began', () => {
    const rows = check(history('m b f', 'b a', 'f a', 'a'))
    expect(rows.map((row) => row.lane)).toEqual([0, 0, 1, 0])
    // The branch joins the other lane right below its first commit.
    expect(rows.map((row) => row.width)).toEqual([2, 2, 2, 1])
  })

  it('draw a merge of many branches, tips without children, and several roots', () => {
    check(history('o a b c d', 'd r', 'c r', 'b r', 'a r', 'r', 't s', 's'))
    check(history('x r', 'y r', 'z r', 'r'))
  })

  it('end at the last row when parents are not listed', () => {
    expect(check(history('b a', 'x y'))[1]!.lines.map((line) => line.part)).toEqual(['whole', 'bottom'])
  })

  it('connect every commit with its parents in random histories', () => {
    // A linear congruential generator: the same histories on every run.
    let seed = 42
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return Math.floor((seed / 2_147_483_648) * below)
    }
    for (let round = 0; round < 50; round++) {
      const size = 2 + random(60)
      check(
        Array.from({ length: size }, (_, at) => ({
          id: `c${at}`,
          parent_ids: Array.from({ length: random(4) }, () => `c${at + 1 + random(size - at)}`),
        })),
      )
    }
  })
})
