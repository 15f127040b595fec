import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

import { projectById, repoOf } from '../../../server/domains/projects/index.ts'
import { addCommits, client, emptyRepo, gitEngine, shell, type ScriptedCommit } from '../../support/git.ts'
import { world } from '../../support/world.ts'

/*
 * Replays a history as merge requests. Each one edits, moves, deletes and adds files, and makes some executable or
 * binary. Four at a time start from the same state, so half of all conflict when they are merged. These are refused,
 * rebased and pushed by their author. After each merge the tree must be exactly the expected one.
 */

/** The number of merge requests. The whole replay is `REPLAY_REQUESTS=200`; a part of it runs every day. */
const REQUESTS = Number(process.env['REPLAY_REQUESTS'] ?? 16)
const BATCH = 4
/** Merge requests at this distance change the same files. */
const AREAS = 8
const LOG = 'CHANGES.md'

interface Content {
  readonly mode: string
  readonly data: Buffer
}
type Tree = ReadonlyMap<string, Content>
/** The changes of a commit. Null deletes a file. */
type Delta = ReadonlyMap<string, Content | null>

/** A random number generator with a fixed seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const plain = (text: string): Content => ({ mode: '100644', data: Buffer.from(text) })
const lines = (title: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${title}, line ${at}\n`).join('')

function firstTree(): Map<string, Content> {
  const tree = new Map<string, Content>([[LOG, plain('The beginning\n')]])
  for (let area = 0; area < AREAS; area++) {
    for (let file = 0; file < 4; file++)
      tree.set(`area ${area}/file-${file}.txt`, plain(lines(`file ${file}`, 30)))
    tree.set(`area ${area}/bïnary.dat`, { mode: '100644', data: Buffer.from([0, 255, area, 10, 13]) })
    tree.set(`area ${area}/run.sh`, { mode: '100755', data: Buffer.from('#!/bin/sh\nexit 0\n') })
  }
  return tree
}

/** The changes that merge request `index` makes in its files. */
function changeOf(tree: Tree, index: number): Delta {
  const pick = numbers(index + 1)
  const area = `area ${index % AREAS}/`
  const delta = new Map<string, Content | null>()
  const texts = [...tree.keys()].filter((file) => file.startsWith(area) && file.endsWith('.txt')).toSorted()
  const edited = (file: string): Content => {
    const all = tree.get(file)!.data.toString().split('\n')
    all.splice(pick(all.length - 1), 1, `changed by ${index}`, 'and one more')
    return { ...tree.get(file)!, data: Buffer.from(all.join('\n')) }
  }
  const [first, second] = [texts[pick(texts.length)]!, texts[(pick(texts.length - 1) + 1) % texts.length]!]
  delta.set(first, edited(first))
  const kind = pick(5)
  if (kind === 0 && second !== first) {
    delta.set(second, null)
    delta.set(`${area}moved/by-${index}.txt`, edited(second))
  } else if (kind === 1 && second !== first && texts.length > 3) {
    delta.set(second, null)
  } else if (kind === 2) {
    const file = `${area}run.sh`
    delta.set(file, { ...tree.get(file)!, mode: tree.get(file)!.mode === '100755' ? '100644' : '100755' })
  } else if (kind === 3) {
    delta.set(`${area}bïnary.dat`, { mode: '100644', data: Buffer.from([0, 254, index % 256, 10, 0]) })
  }
  delta.set(`${area}new-${index}.txt`, plain(lines(`new in ${index}`, 3 + pick(20))))
  return delta
}

/** Three of four also add a line at the top of one shared file, so only the first of them can be merged. */
function withLog(tree: Tree, delta: Delta, index: number): Delta {
  if (index % BATCH === BATCH - 1) return delta
  return new Map(delta).set(LOG, plain(`Change ${index}\n${tree.get(LOG)!.data.toString()}`))
}

function applied(tree: Tree, delta: Delta): Map<string, Content> {
  const result = new Map(tree)
  for (const [file, content] of delta) {
    if (content === null) result.delete(file)
    else result.set(file, content)
  }
  return result
}

const asFiles = (delta: Delta): NonNullable<ScriptedCommit['files']> =>
  Object.fromEntries(
    [...delta].map(([file, content]) => {
      if (content === null) return [file, null]
      return [
        file,
        content.mode === '100644' ? content.data : { mode: content.mode, content: content.data.toString() },
      ]
    }),
  )

/** Makes the change of a branch in two commits: first deletions and new files, then the rest. */
function commitsOf(
  delta: Delta,
  position: { branch: string; from: string; index: number },
): ScriptedCommit[] {
  const { branch, from, index } = position
  const head = new Map([...delta].filter(([file]) => file.endsWith('.sh') || file === LOG))
  const rest = new Map([...delta].filter(([file]) => !head.has(file)))
  const parts = [rest, head].filter((part) => part.size > 0)
  return parts.map((part, at) => ({
    branch,
    message: `Change ${index}, part ${at + 1}\n`,
    files: asFiles(part),
    ...(at === 0 ? { from } : {}),
  }))
}

test('merging a history of merge requests ends with the expected tree', { timeout: 300_000 }, async () => {
  const w = await world()
  const root = w.as(w.root)
  const project = await w.make.project({ default_branch: 'main' })
  const ctx = w.ctx()
  const repo = repoOf(ctx, projectById(ctx.db, project.id)!)
  const base = `/projects/${project.id}/merge_requests`
  const url = `${w.url.replace('://', `://root:${w.root.token}@`)}/${project.path_with_namespace}.git`
  // The author's repository shares the objects of the server, so only new objects are created and pushed.
  const own = await emptyRepo(gitEngine().engine)
  writeFileSync(path.join(own.gitDir, 'objects/info/alternates'), `${path.join(repo.gitDir, 'objects')}\n`)
  const push = async (...specs: string[]) => {
    const pushed = await client(own.gitDir, ['push', '-q', '--force', url, ...specs])
    expect(pushed).toMatchObject({ code: 0 })
  }
  let tree = firstTree()
  addCommits(own, [{ branch: 'main', message: 'Begin\n', files: asFiles(tree) }])
  await push('main')
  const tip = () => shell(repo, ['rev-parse', 'refs/heads/main'])
  const refusals: unknown[] = []
  const landed: unknown[] = []

  const merge = async (iid: number, index: number) =>
    (await root.put(`${base}/${iid}/merge`, { squash: index % 5 === 0 })).body as { state?: string }

  async function land(iid: number, index: number): Promise<void> {
    const branch = `change-${index}`
    const delta = withLog(tree, changeOf(tree, index), index)
    const isBehind = index % BATCH === BATCH - 1
    if (isBehind && index % (2 * BATCH) === BATCH - 1) {
      await root.put(`${base}/${iid}/rebase`)
      await w.drain()
    }
    let answer = await merge(iid, index)
    if (answer.state !== 'merged') {
      refusals.push([answer, (await root.get(`${base}/${iid}/conflicts`)).body])
      addCommits(own, commitsOf(delta, { branch, from: tip(), index }))
      await push(branch)
      answer = await merge(iid, index)
    }
    landed.push(answer.state)
    tree = applied(tree, delta)
    // A commit without a parent contains exactly these files.
    const [expectedCommit] = addCommits(own, [
      { branch: `expected-${index}`, message: 'Expected\n', files: asFiles(tree) },
    ])
    const [real, expected] = [tip(), expectedCommit].map((commit) =>
      shell(own, ['rev-parse', `${commit}^{tree}`]),
    )
    expect(real, `the tree after change ${index}`).toBe(expected)
  }

  for (let batch = 0; batch < REQUESTS / BATCH; batch++) {
    const indices = Array.from({ length: BATCH }, (_, at) => batch * BATCH + at)
    const from = tip()
    const scripts = indices.flatMap((index) =>
      commitsOf(withLog(tree, changeOf(tree, index), index), { branch: `change-${index}`, from, index }),
    )
    addCommits(own, scripts)
    await push(...indices.map((index) => `change-${index}`))
    const iids: number[] = []
    for (const index of indices) {
      const made = await root.post(base, {
        source_branch: `change-${index}`,
        target_branch: 'main',
        title: `Change ${index}`,
        remove_source_branch: true,
      })
      iids.push(made.body.iid as number)
    }
    for (const [at, index] of indices.entries()) await land(iids[at]!, index)
  }
  const refusal = [{ message: 'Branch cannot be merged' }, [{ path: LOG }]]
  expect(refusals).toEqual(Array.from({ length: REQUESTS / 2 }, () => refusal))
  expect(landed).toEqual(Array.from({ length: REQUESTS }, () => 'merged'))
  await w.drain()
  const open = await root.get(`${base}?state=opened`)
  expect(open.body).toEqual([])
  expect(shell(repo, ['fsck', '--connectivity-only'])).not.toContain('missing')
  // Source branches that the merges should have removed.
  const left = (await root.get(`/projects/${project.id}/repository/branches`)).body
  expect(left.map((branch: { name: string }) => branch.name)).toEqual(['main'])
})
