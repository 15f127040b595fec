import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { createGit, repoAt } from '../../server/git/process/engine.ts'
import type { GitOptions } from '../../server/git/process/engine.ts'
import { createBareRepository } from '../../server/git/upkeep/repository.ts'
import type { Git, GitOperation, Repo } from '../../server/git/types.ts'
import { atEnd } from './at-end.ts'
import { sharedSpawner } from './spawner.ts'

/** The git of this machine. */
export const GIT_BINARY = execFileSync(process.platform === 'win32' ? 'where' : 'which', ['git'], {
  encoding: 'utf8',
})
  .split('\n')[0]!
  .trim()

/** A folder that is deleted after the test file. */
export function tempDir(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'git-test-'))
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A git engine, closed at the end of the test file. `operations` collects the commands that it ran. */
export function gitEngine(options: Partial<GitOptions> = {}): { engine: Git; operations: GitOperation[] } {
  const operations: GitOperation[] = []
  const home = path.join(tempDir(), 'home')
  const engine = createGit({
    binary: GIT_BINARY,
    home,
    spawner: sharedSpawner,
    observe: (operation) => operations.push(operation),
    ...options,
  })
  atEnd(() => engine.close())
  return { engine, operations }
}

export interface ScriptedCommit {
  /** Branch to commit to; default `main`. */
  readonly branch?: string
  readonly message?: string
  readonly author?: string
  readonly email?: string
  /** Unix seconds; each commit of a script is a minute later than the one before it. */
  readonly time?: number
  /** Path to content; null deletes, an object sets the mode too. */
  readonly files?: Readonly<Record<string, string | Buffer | null | { mode: string; content: string }>>
  /** Further parents: branch names, full refs or `:mark`. */
  readonly merge?: readonly string[]
  /** First parent; by default the branch itself. */
  readonly from?: string
}

/** Default time of the first commit of a script: 2024-01-01T00:00:00Z. */
export const FIRST_COMMIT_TIME = 1_704_067_200

/** An empty bare repository with HEAD on main. */
export async function emptyRepo(engine: Git = gitEngine().engine): Promise<Repo> {
  const repo = repoAt(engine, path.join(tempDir(), 'repo.git'))
  await createBareRepository(repo, { defaultBranch: 'main' })
  return repo
}

/** A bare repository with the given commits, created by one fast-import. Returns their ids in order. */
export async function scriptedRepo(
  commits: readonly ScriptedCommit[],
  engine?: Git,
): Promise<{ repo: Repo; ids: string[] }> {
  const repo = await emptyRepo(engine)
  return { repo, ids: addCommits(repo, commits) }
}

/** Adds commits to a repository with fast-import; returns their ids in order. */
export function addCommits(repo: Repo, commits: readonly ScriptedCommit[]): string[] {
  const chunks: Buffer[] = []
  const write = (content: string | Buffer) => void chunks.push(Buffer.from(content as string))
  const started = new Set<string>()
  commits.forEach((commit, index) => {
    const ref = `refs/heads/${commit.branch ?? 'main'}`
    const time = commit.time ?? FIRST_COMMIT_TIME + index * 60
    const who = `${commit.author ?? 'Ada Author'} <${commit.email ?? 'ada@example.com'}> ${time} +0000`
    const message = Buffer.from(commit.message ?? `Commit ${index + 1}\n`)
    write(`commit ${ref}\nmark :${index + 1}\nauthor ${who}\ncommitter ${who}\ndata ${message.length}\n`)
    write(message)
    write('\n')
    const from = commit.from ?? (started.has(ref) || !refExists(repo, ref) ? null : `${ref}^0`)
    if (from !== null) write(`from ${from}\n`)
    for (const parent of commit.merge ?? []) write(`merge ${parent}\n`)
    for (const [file, content] of Object.entries(commit.files ?? {})) writeFile(write, file, content)
    write('\n')
    started.add(ref)
  })
  const marks = path.join(tempDir(), 'marks')
  shell(
    repo,
    ['-c', 'core.compression=0', 'fast-import', '--quiet', '--force', `--export-marks=${marks}`],
    Buffer.concat(chunks),
  )
  const lines = readFileSync(marks, 'utf8').trim().split('\n')
  const byMark = new Map(lines.map((line) => [Number(line.split(' ')[0]!.slice(1)), line.split(' ')[1]!]))
  return commits.map((_, index) => byMark.get(index + 1)!)
}

type FileContent = NonNullable<ScriptedCommit['files']>[string]

function writeFile(write: (content: string | Buffer) => void, file: string, content: FileContent): void {
  const name = /["\n\\]/.test(file) ? JSON.stringify(file) : file
  if (content === null) return write(`D ${name}\n`)
  const isPlain = typeof content === 'string' || Buffer.isBuffer(content)
  const mode = isPlain ? '100644' : content.mode
  const data = Buffer.from((isPlain ? content : content.content) as string)
  if (mode === '160000') return write(`M 160000 ${data.toString()} ${name}\n`)
  write(`M ${mode} inline ${name}\ndata ${data.length}\n`)
  write(data)
  write('\n')
}

function refExists(repo: Repo, ref: string): boolean {
  if (existsSync(path.join(repo.gitDir, ref))) return true
  const packed = path.join(repo.gitDir, 'packed-refs')
  return existsSync(packed) && readFileSync(packed, 'utf8').includes(` ${ref}\n`)
}

/** Runs git directly, not through the code under test, and returns its output. */
export function shell(repo: Repo | string, args: readonly string[], input?: string | Buffer): string {
  const target = typeof repo === 'string' ? ['-C', repo] : [`--git-dir=${repo.gitDir}`]
  return execFileSync(GIT_BINARY, [...target, ...args], {
    input: input ?? '',
    env: cleanEnv(),
    maxBuffer: 256 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
    .toString('utf8')
    .trim()
}

/** Runs git as a user would, without blocking this process (which may be the server it asks). */
export async function client(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const options = { cwd, env: { ...cleanEnv(), ...env }, maxBuffer: 64 * 1024 * 1024 }
    return { code: 0, ...(await promisify(execFile)(GIT_BINARY, args as string[], options)) }
  } catch (error) {
    const failure = error as { code?: number; stdout?: string; stderr?: string }
    return { code: failure.code ?? -1, stdout: failure.stdout ?? '', stderr: failure.stderr ?? '' }
  }
}

/** Fixed identities and dates, without the machine's own git configuration. */
export function cleanEnv(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ada Author',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'Carl Committer',
    GIT_COMMITTER_EMAIL: 'carl@example.com',
    GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
  }
}
