import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

import { call, startInstance, TOKEN, type Running } from '../support/instance.ts'
import { median, round, timed, type Result } from '../support/measure.ts'

const run = promisify(execFile)
const FILES = 2000
const REQUESTS = 7

async function git(folder: string, ...args: string[]): Promise<string> {
  const identity = {
    GIT_AUTHOR_NAME: 'b',
    GIT_AUTHOR_EMAIL: 'b@x.test',
    GIT_COMMITTER_NAME: 'b',
    GIT_COMMITTER_EMAIL: 'b@x.test',
  }
  const env = { ...process.env, ...identity, GIT_TERMINAL_PROMPT: '0' }
  return (await run('git', ['-C', folder, ...args], { maxBuffer: 64 * 1024 * 1024, env })).stdout.trim()
}

function writeAll(folder: string, area: number, text: string): void {
  for (let index = 0; index < FILES; index++) {
    const target = join(folder, `area-${area}`, `part-${Math.floor(index / 100)}`)
    mkdirSync(target, { recursive: true })
    writeFileSync(join(target, `file-${index}.txt`), `first line\n${text} ${index}\nlast line\n`)
  }
}

/** A repository with one branch per merge request; each changes 2,000 files of its own area. */
async function branches(folder: string): Promise<void> {
  mkdirSync(folder)
  await git(folder, 'init', '-q', '-b', 'main')
  for (let area = 0; area < REQUESTS; area++) writeAll(folder, area, 'before')
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', 'Begin')
  for (let area = 0; area < REQUESTS; area++) {
    await git(folder, 'checkout', '-qb', `change-${area}`, 'main')
    writeAll(folder, area, 'after')
    await git(folder, 'commit', '-qam', `Change area ${area}`)
  }
  await git(folder, 'checkout', '-q', 'main')
}

/** The git commands of the same merge: write a tree, create a commit, move the branch. */
async function plainMerge(bare: string, branch: string): Promise<void> {
  const tree = await git(bare, 'merge-tree', '--write-tree', 'main', branch)
  const commit = await git(bare, 'commit-tree', tree, '-p', 'main', '-p', branch, '-m', `Merge ${branch}`)
  await git(bare, 'update-ref', 'refs/heads/main', commit)
}

async function untilChecked(instance: Running, path: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const { merge_status } = JSON.parse((await call(instance.url, path)).text) as { merge_status: string }
    if (merge_status === 'can_be_merged') return
    await pause(50)
  }
  throw new Error(`${path} was never checked.`)
}

async function openRequests(instance: Running, source: string): Promise<string[]> {
  const made = await call(instance.url, '/projects', {
    method: 'POST',
    body: JSON.stringify({ name: 'merging' }),
  })
  const { id } = JSON.parse(made.text) as { id: number }
  const remote = `${instance.url.replace('http://', `http://root:${TOKEN}@`)}/root/merging.git`
  await git(source, 'push', '-q', remote, '--all')
  const paths: string[] = []
  for (let area = 0; area < REQUESTS; area++) {
    const body = { source_branch: `change-${area}`, target_branch: 'main', title: `Change area ${area}` }
    const { text } = await call(instance.url, `/projects/${id}/merge_requests`, {
      method: 'POST',
      body: JSON.stringify(body),
    })
    paths.push(`/projects/${id}/merge_requests/${(JSON.parse(text) as { iid: number }).iid}`)
  }
  return paths
}

/** Row 8: the duration of a merge request, against the git commands of the same merge. */
export async function mergeRows(dir: string): Promise<Result[]> {
  const source = join(dir, 'source')
  await branches(source)
  const bare = join(dir, 'bare.git')
  await git(dir, 'clone', '-q', '--bare', source, bare)
  const instance = await startInstance(join(dir, 'data'))
  try {
    const paths = await openRequests(instance, source)
    const ours: number[] = []
    const plain: number[] = []
    for (const [area, path] of paths.entries()) {
      await untilChecked(instance, path)
      ours.push(await timed(() => call(instance.url, `${path}/merge`, { method: 'PUT', body: '{}' })))
      plain.push(await timed(() => plainMerge(bare, `change-${area}`)))
    }
    const ratio = median(ours) / median(plain)
    return [
      {
        row: 8,
        work: 'merge, 2,000 files',
        baseline: `${round(median(plain))} ms (plain git)`,
        measured: `${round(median(ours))} ms`,
        ratio,
        goal: '≤ 2 ×',
        met: ratio <= 2,
      },
    ]
  } finally {
    await instance.stop()
  }
}
