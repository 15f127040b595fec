import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'

/** SHA-256 of every file below a folder, by path, without repositories. */
export function filesBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {}
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return Object.fromEntries(
    entries
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [
        path.slice(folder.length + 1),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]),
  )
}

const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['--git-dir', dir, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Folders of all repositories below a storage. */
export function repositoriesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === 'HEAD' && existsSync(join(entry.parentPath, 'objects')))
    .map((entry) => entry.parentPath.slice(folder.length + 1))
    .filter((path) => !path.startsWith('.snapshot'))
    .sort()
}

/** All refs, the target of HEAD, and the faults that `git fsck` finds. */
export function refsOf(dir: string): { head: string; refs: string[]; problems: string } {
  const refs = git(dir, 'for-each-ref', '--format=%(objectname) %(refname)').split('\n').filter(Boolean)
  const problems = git(dir, 'fsck', '--full', '--no-dangling', '--no-progress')
  return { head: readFileSync(join(dir, 'HEAD'), 'utf8'), refs, problems: problems.trim() }
}

/** Every row of every table. */
export function rowsOf(file: string): Record<string, unknown[]> {
  const db = new BetterSqlite3(file, { readonly: true })
  try {
    const tables = db
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all() as { name: string }[]
    return Object.fromEntries(
      tables.map(({ name }) => [
        name,
        (db.prepare(`SELECT * FROM "${name}"`).all() as unknown[]).map((row) => JSON.stringify(row)).sort(),
      ]),
    )
  } finally {
    db.close()
  }
}
