import { describe, expect, it } from 'vitest'

import {
  planHistory,
  type History,
  type Plan,
  type PlannedMergeRequest,
} from '../../../server/domains/workbench/worlds/write/history-plan.ts'

/** Executes the steps of a plan as the application of its world does, and checks each commit against the history. */
function replay(history: History, plan: Plan): ReadonlyMap<string, string> {
  const { commits, main, requests } = history
  const tips = new Map<string, string>()
  const made = new Set<string>()
  const opened: number[] = []
  for (const { id, branch, from, parents, merge } of plan.steps) {
    if (merge !== undefined) {
      const request = requests.find(({ iid }) => iid === merge)!
      const earlier = plan.order.slice(0, plan.order.indexOf(merge))
      for (const iid of [...earlier, merge]) {
        if (opened.includes(iid)) continue
        const { source, target } = requests.find((other) => other.iid === iid)!
        if (tips.has(source) && tips.has(target)) opened.push(iid)
      }
      expect(tips.get(request.source)).toBe(request.head)
      expect(tips.get(request.target)).toBe(request.merge === null ? request.base : commits.get(id)![0])
      expect(request.target).toBe(branch)
      tips.set(branch, id)
      if (plan.sourceRemovals.has(merge)) tips.delete(request.source)
    } else {
      const implicit = tips.get(branch) ?? tips.get(main)
      const found = parents ?? [from ?? implicit].filter((parent) => parent !== undefined)
      expect(found).toEqual(commits.get(id))
      for (const parent of found) expect(made.has(parent)).toBe(true)
      tips.set(branch, id)
    }
    made.add(id)
  }
  for (const { iid } of requests) if (!opened.includes(iid) && plan.order.includes(iid)) opened.push(iid)
  expect(plan.order.filter((iid) => opened.includes(iid))).toEqual(
    opened.toSorted((a, b) => plan.order.indexOf(a) - plan.order.indexOf(b)),
  )
  for (const { name, at } of plan.branches) tips.set(name, at)
  return tips
}

const request = (iid: number, fields: Partial<PlannedMergeRequest>): PlannedMergeRequest => ({
  iid,
  source: 'topic',
  target: 'main',
  state: 'opened',
  head: null,
  base: null,
  merge: null,
  squash: null,
  isExact: true,
  ...fields,
})

const historyOf = (
  commits: Readonly<Record<string, readonly string[]>>,
  branches: Readonly<Record<string, string>>,
  requests: readonly PlannedMergeRequest[] = [],
): History => ({
  commits: new Map(Object.entries(commits)),
  branches: new Map(Object.entries(branches)),
  main: 'main',
  requests,
  needsAhead: false,
})

const planned = async (history: History) => {
  const plan = await planHistory(history)
  const tips = replay(history, plan)
  for (const [name, tip] of history.branches)
    if (!plan.movedBranches.includes(name)) expect(tips.get(name)).toBe(tip)
  return plan
}

describe('the plan of a history', () => {
  it('follows the main branch, then the others', async () => {
    const plan = await planned(historyOf({ a: [], b: ['a'], c: ['a'], d: ['c'] }, { main: 'b', topic: 'd' }))
    expect(plan.steps).toEqual([
      { id: 'a', branch: 'main' },
      { id: 'b', branch: 'main' },
      { id: 'c', branch: 'topic', from: 'a' },
      { id: 'd', branch: 'topic' },
    ])
  })

  it('names branches that add nothing', async () => {
    const plan = await planned(historyOf({ a: [], b: ['a'] }, { main: 'b', old: 'a', same: 'b' }))
    expect(plan.branches).toEqual([
      { name: 'old', at: 'a' },
      { name: 'same', at: 'b' },
    ])
  })

  it('merges a request at its position in the history, and deletes its branch', async () => {
    const merged = request(1, { state: 'merged', head: 'c', base: 'a', merge: 'm' })
    const plan = await planned(
      historyOf({ a: [], b: ['a'], c: ['a'], m: ['b', 'c'], d: ['m'] }, { main: 'd' }, [merged]),
    )
    expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'm', 'd'])
    expect(plan.steps[3]).toEqual({ id: 'm', branch: 'main', merge: 1 })
    expect([...plan.sourceRemovals]).toEqual([1])
  })

  it('opens requests with lower numbers first', async () => {
    const plan = await planned(
      historyOf({ a: [], b: ['a'], c: ['a'], m: ['a', 'c'] }, { main: 'm', early: 'b', topic: 'c' }, [
        request(1, { source: 'early', head: 'b', base: 'a' }),
        request(2, { state: 'merged', head: 'c', base: 'a', merge: 'm' }),
      ]),
    )
    expect(plan.steps.map(({ id }) => id)).toEqual(['a', 'c', 'b', 'm'])
    expect(plan.order).toEqual([1, 2])
    expect([...plan.sourceRemovals]).toEqual([])
  })

  it('recognizes squashed and fast-forwarded requests', async () => {
    const squashed = request(1, { state: 'merged', head: 'c', base: 'a', squash: 's', merge: 'm' })
    const commits = { a: [], c: ['a'], s: ['a'], m: ['a', 's'], d: ['m'] }
    expect((await planned(historyOf(commits, { main: 'd' }, [squashed]))).steps.map(({ id }) => id)).toEqual([
      'a',
      'c',
      'm',
      'd',
    ])
    const forwarded = request(1, { state: 'merged', head: 'c', base: 'a' })
    const plan = await planned(historyOf({ a: [], b: ['a'], c: ['b'], d: ['c'] }, { main: 'd' }, [forwarded]))
    expect(plan.steps.map(({ branch, merge }) => [branch, merge])).toEqual([
      ['main', undefined],
      ['topic', undefined],
      ['topic', undefined],
      ['main', 1],
      ['main', undefined],
    ])
  })

  it('merges the main branch into others at the commit where it is', async () => {
    const delivered = request(1, {
      source: 'main',
      target: 'live',
      state: 'merged',
      head: 'b',
      base: 'a',
      merge: 'm',
    })
    const plan = await planned(
      historyOf({ a: [], b: ['a'], c: ['b'], x: ['a'], m: ['x', 'b'] }, { main: 'c', live: 'm' }, [
        delivered,
      ]),
    )
    expect([...plan.mergedRequests]).toEqual([1])
  })

  it('creates merge commits itself if no merge request can', async () => {
    const other = request(1, { state: 'merged', head: 'c', base: 'a', merge: 'm', isExact: false })
    const plan = await planned(
      historyOf({ a: [], b: ['a'], c: ['a'], m: ['b', 'c'] }, { main: 'm' }, [other]),
    )
    expect(plan.steps.at(-1)).toEqual({ id: 'm', branch: 'main', parents: ['b', 'c'] })
    expect(plan.mergedRequests.size).toBe(0)
  })

  it('keeps root commits without a common history', async () => {
    const plan = await planned(historyOf({ a: [], p: [], q: ['p'] }, { main: 'a', pages: 'q' }))
    expect(plan.steps[1]).toEqual({ id: 'p', branch: 'pages', parents: [] })
  })

  it('gives every commit its parents in histories of all shapes', async () => {
    for (let seed = 1; seed <= 400; seed++) {
      const history = grown(seed)
      const plan = await planned(history)
      const ids = plan.steps.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
    }
  })
})

/** A random history of branches, merges and requests. */
function grown(seed: number): History {
  let state = seed * 7919
  const random = (count: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * count)
  }
  const commits: Record<string, string[]> = { c0: [] }
  const branches: Record<string, string> = { main: 'c0' }
  const requests: PlannedMergeRequest[] = []
  const add = (parents: string[]) => {
    const id = `c${Object.keys(commits).length}`
    commits[id] = parents
    return id
  }
  const isIn = (old: string, tip: string): boolean =>
    old === tip || commits[tip]!.some((parent) => isIn(old, parent))
  for (let turn = 0; turn < 40; turn++) {
    const names = Object.keys(branches)
    const name = names[random(names.length)]!
    const other = names[random(names.length)]!
    const kind = random(7)
    if (kind === 0) branches[`b${random(6)}`] ??= branches[name]!
    else if (kind <= 3) branches[name] = add([branches[name]!])
    else if (kind === 4 && name !== other && !isIn(branches[other]!, branches[name]!))
      branches[name] = add([branches[name]!, branches[other]!])
    else if (kind === 5 && name !== other && !isIn(branches[other]!, branches[name]!)) {
      const [base, head] = [branches[name]!, branches[other]!]
      const squash = random(3) === 0 ? add([base]) : null
      const merge = add([base, squash ?? head])
      branches[name] = merge
      const fields = { source: other, target: name, head, base, merge, squash, state: 'merged' as const }
      requests.push(request(requests.length + 1, fields))
      if (random(2) === 0 && other !== 'main') delete branches[other]
    } else if (kind === 6 && name !== other)
      requests.push(request(requests.length + 1, { source: other, target: name, head: branches[other]! }))
  }
  return historyOf(commits, branches, requests)
}
