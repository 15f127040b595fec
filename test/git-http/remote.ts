import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { client, shell, tempDir } from '../support/git.ts'
import type { TestUser, World } from '../support/world.ts'

/** Returns git URLs of projects with the name and token of a user. */
export function addressOf(instance: World) {
  return (project: { path_with_namespace: string }, user?: Pick<TestUser, 'username' | 'token'>): string => {
    const { host } = new URL(instance.url)
    return `http://${user ? `${user.username}:${user.token}@` : ''}${host}/${project.path_with_namespace}.git`
  }
}

/** Runs git as in a terminal. */
export const git = (folder: string, ...args: string[]) => client(folder, args)

/** Clones into a new folder. */
export async function clone(url: string, ...options: string[]): Promise<string> {
  const folder = path.join(tempDir(), 'clone')
  const { code, stderr } = await git(tempDir(), 'clone', '-q', ...options, url, folder)
  if (code !== 0) throw new Error(stderr)
  return folder
}

/** A local repository with a commit on main. */
export function local(): string {
  const folder = tempDir()
  shell(folder, ['init', '-q', '-b', 'main'])
  commit(folder, 'README.md', '# Local\n')
  return folder
}

/** Writes a file and commits it; returns the commit ID. */
export function commit(folder: string, file: string, content: string | Buffer): string {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), content)
  shell(folder, ['add', '-A'])
  shell(folder, ['commit', '-q', '--allow-empty', '-m', `Write ${file}`])
  return shell(folder, ['rev-parse', 'HEAD'])
}
