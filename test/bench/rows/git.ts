import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { bigRepository } from '../support/big-repository.ts'
import { call, startInstance, TOKEN, type Running } from '../support/instance.ts'
import { inTurn, median, round, timed, type Result } from '../support/measure.ts'

const run = promisify(execFile)

/** Runs git without blocking this process, so that it keeps connections to the instance alive. */
async function git(...args: string[]): Promise<string> {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0' }
  const { stdout } = await run('git', args, { maxBuffer: 1024 * 1024 * 1024, env })
  return stdout
}

async function makeProject(instance: Running, name: string): Promise<{ id: number; remote: string }> {
  const { text } = await call(instance.url, '/projects', { method: 'POST', body: JSON.stringify({ name }) })
  const { id } = JSON.parse(text) as { id: number }
  return { id, remote: `${instance.url.replace('http://', `http://root:${TOKEN}@`)}/root/${name}.git` }
}

/** Row 6: clone over HTTP against clone over file:// of the same bare repository. */
async function cloneRow(source: string, dir: string, remote: string): Promise<Result> {
  const into = join(dir, 'clone')
  const clone = async (from: string): Promise<number> => {
    rmSync(into, { recursive: true, force: true })
    return timed(() => git('clone', '-q', from, into))
  }
  const [http, file] = await inTurn(
    5,
    () => clone(remote),
    () => clone(`file://${source}`),
  )
  const ratio = http / file
  return {
    row: 6,
    work: 'git clone, 5,000 commits, 50 MB',
    baseline: `${round(file)} ms (file://)`,
    measured: `${round(http)} ms`,
    ratio,
    goal: '≤ 1.2 ×',
    met: ratio <= 1.2,
  }
}

/** Row 7: push of 1,000 commits over HTTP against the same push to a bare repository over file://. */
async function pushRow(instance: Running, source: string, dir: string): Promise<Result> {
  const work = join(dir, 'push-source.git')
  await git('clone', '-q', '--bare', source, work)
  const idOf = async (name: string): Promise<string> =>
    (await git('--git-dir', work, 'rev-parse', name)).trim()
  const [head, base] = [await idOf('main'), await idOf('main~1000')]
  let count = 0
  const push = async (remote: string): Promise<number> => {
    await git('--git-dir', work, 'push', '-q', remote, `${base}:refs/heads/main`)
    return timed(() => git('--git-dir', work, 'push', '-q', remote, `${head}:refs/heads/main`))
  }
  const viaHttp = async (): Promise<number> => push((await makeProject(instance, `push-${++count}`)).remote)
  const viaFile = async (): Promise<number> => {
    const bare = join(dir, `push-${++count}.git`)
    await git('init', '-q', '--bare', bare)
    return push(`file://${bare}`)
  }
  const [http, file] = await inTurn(5, viaHttp, viaFile)
  const ratio = http / file
  return {
    row: 7,
    work: 'git push, 1,000 commits',
    baseline: `${round(file)} ms (file://)`,
    measured: `${round(http)} ms`,
    ratio,
    goal: '≤ 1.5 ×',
    met: ratio <= 1.5,
  }
}

interface MeasuredRead {
  work: string
  path: (commit: string) => string
  args: (commit: string) => string[]
}

/** Row 9: endpoints of the window, against the git command with the same data; first and repeated. */
async function readRows(instance: Running, source: string, id: number): Promise<Result[]> {
  const every = async (step: number, from: number): Promise<string[]> => {
    const names = Array.from({ length: 9 }, (_, index) => `main~${from + index * step}`)
    return (await git('--git-dir', source, 'rev-parse', ...names)).trim().split('\n')
  }
  const api = `/projects/${id}/repository`
  const reads: (MeasuredRead & { commits: string[] })[] = [
    {
      work: 'tree',
      commits: await every(37, 5),
      path: (sha) => `${api}/tree?ref=${sha}&path=src/area-3&per_page=100`,
      args: (sha) => ['ls-tree', '-l', sha, 'src/area-3/'],
    },
    {
      work: 'file',
      commits: await every(41, 7),
      path: (sha) => `${api}/files/${encodeURIComponent('src/area-3/module-3.ts')}?ref=${sha}`,
      args: (sha) => ['log', '-1', '--format=%H', sha, '--', 'src/area-3/module-3.ts'],
    },
    {
      work: 'commit list',
      commits: await every(43, 9),
      path: (sha) => `${api}/commits?ref_name=${sha}&per_page=20`,
      args: (sha) => ['log', '-20', '--format=%H %P %an %ae %at %B', sha],
    },
    {
      work: '200-file diff',
      commits: await every(500, 0),
      path: (sha) => `${api}/commits/${sha}/diff?per_page=100`,
      args: (sha) => ['diff-tree', '-p', '-M', '-r', `${sha}^`, sha],
    },
  ]
  const results: Result[] = []
  for (const read of reads) {
    const first: number[] = []
    const again: number[] = []
    const plain: number[] = []
    for (const sha of read.commits) {
      first.push(await timed(() => call(instance.url, read.path(sha))))
      plain.push(await timed(() => git('--git-dir', source, ...read.args(sha))))
      for (let round = 0; round < 3; round++)
        again.push(await timed(() => call(instance.url, read.path(sha))))
    }
    const base = median(plain)
    const rows = [
      { when: 'first', ms: median(first), goal: 1.3 },
      { when: 'again', ms: median(again), goal: 0.2 },
    ]
    for (const { when, ms, goal } of rows) {
      const ratio = ms / base
      results.push({
        row: 9,
        work: `${read.work}, ${when}`,
        baseline: `${round(base)} ms (git ${read.args('')[0]})`,
        measured: `${round(ms)} ms`,
        ratio,
        goal: `≤ ${goal} ×`,
        met: ratio <= goal,
      })
    }
  }
  return results
}

/** Rows 6, 7 and 9. */
export async function gitRows(dir: string, cacheDir: string): Promise<Result[]> {
  const source = await bigRepository(cacheDir)
  const instance = await startInstance(join(dir, 'data'))
  const { id, remote } = await makeProject(instance, 'big')
  try {
    await git('--git-dir', source, 'push', '-q', remote, 'main')
    return [
      await cloneRow(source, dir, remote),
      await pushRow(instance, source, dir),
      ...(await readRows(instance, source, id)),
    ]
  } finally {
    await instance.stop()
  }
}
