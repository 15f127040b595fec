import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { bigRepository } from '../support/big-repository.ts'
import type { Forge, Project } from './forge.ts'

const run = promisify(execFile)

export const PROJECTS = 25
const ISSUES = 40
const REQUESTS = 20
const MERGES = 8
const BRANCHES = 40
const COMMITS = 60
const FILES = 120

/** The content of a forge. */
export interface Filled {
  readonly projects: Project[]
  /** The project for reads: files, commits, branches, issues and merge requests. */
  readonly main: Project
  readonly requests: number[]
  /** The project for commits and pushes. */
  readonly written: Project
  /** Its merge requests for the row about merges. */
  readonly merges: number[]
  /** A repository of 50 MB for clones. */
  readonly big: Project
}

/** Runs git in a folder. */
export async function git(folder: string, ...args: string[]): Promise<string> {
  const who = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.test', '-c', 'gc.auto=0']
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' }
  const { stdout } = await run('git', ['-C', folder, ...who, ...args], { env, maxBuffer: 64 * 1024 * 1024 })
  return stdout.trim()
}

function writeFiles(folder: string, names: readonly string[], text: string): void {
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), `${text} ${name}\n`.repeat(60))
  }
}

const fileName = (index: number): string => `src/area-${index % 8}/file-${index}.txt`

/** Creates a repository with files, commits and branches, some of them for merge requests. */
export async function makeSource(folder: string): Promise<string> {
  mkdirSync(folder)
  await git(folder, 'init', '-q', '-b', 'main')
  const all = Array.from({ length: FILES }, (_, index) => fileName(index))
  writeFiles(folder, ['README.md', ...all], 'First text of')
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', 'Begin')
  for (let index = 0; index < COMMITS; index++) {
    writeFiles(folder, [fileName(index)], `Text ${index} of`)
    await git(folder, 'commit', '-qam', `Change file ${index}\n\nA second paragraph says why.`)
  }
  for (let index = 0; index < BRANCHES; index++) {
    await git(folder, 'checkout', '-qB', `change-${index}`, 'main')
    writeFiles(folder, [fileName(index), fileName(index + 40), `new/of-${index}.txt`], `Branch ${index} of`)
    await git(folder, 'add', '-A')
    await git(folder, 'commit', '-qm', `Change on branch ${index}`)
  }
  await git(folder, 'checkout', '-q', 'main')
  return folder
}

/** Fills a forge with its API and git. */
export async function fill(forge: Forge, source: string, cacheDir: string): Promise<Filled> {
  await forge.prepare()
  const projects: Project[] = []
  for (let index = 0; index < PROJECTS; index++) projects.push(await forge.createProject(`project-${index}`))
  const [main, written, big] = projects.slice(0, 3) as [Project, Project, Project]
  for (const project of [main, written]) await git(source, 'push', '-q', forge.remote(project), '--all')
  for (const project of projects.slice(3)) await git(source, 'push', '-q', forge.remote(project), 'main')
  await git(await bigRepository(cacheDir), 'push', '-q', forge.remote(big), 'main')
  for (let index = 0; index < ISSUES; index++) await forge.createIssue(main, `Issue ${index}`)
  const open = async (project: Project, count: number): Promise<number[]> => {
    const numbers: number[] = []
    for (let index = 0; index < count; index++)
      numbers.push(await forge.createRequest(project, `change-${index}`))
    for (const number of numbers) await forge.untilMergeable(project, number)
    return numbers
  }
  const requests = await open(main, REQUESTS)
  const merges = await open(written, MERGES)
  return { projects, main, requests, written, merges, big }
}
