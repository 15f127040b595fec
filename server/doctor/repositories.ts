import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { damageIn } from '../git/upkeep/repository.ts'
import { repoAt } from '../git/process/engine.ts'
import {
  UNFINISHED_FOLDER,
  unfinishedFoldersOf,
  leftoversIn,
  removeLeftovers,
} from '../git/upkeep/leftovers.ts'
import type { Git } from '../git/types.ts'
import type { Finding, ExaminedData } from './finding.ts'
import { repositoryRows } from './store.ts'

/** The number of folder levels that are searched. No repository is nested deeper. */
const DEPTH = 5

/**
 * Finds rows without a repository, repositories without a row, leftovers of killed git programs, and with `--deep`
 * damaged objects.
 */
export async function checkRepositories(data: ExaminedData): Promise<Finding[]> {
  const findings: Finding[] = []
  const paths = new Set<string>()
  for (const { owner, storage, disk_path, state } of repositoryRows(data.db)) {
    const folder = data.storages.get(storage)
    if (folder === undefined) {
      findings.push({
        check: 'storages',
        sentence: `${owner} is in the storage "${storage}", which does not exist.`,
      })
      continue
    }
    const gitDir = join(folder, disk_path)
    paths.add(gitDir)
    if (!existsSync(join(gitDir, 'HEAD'))) {
      const isUnfinished = state !== 'ready'
      const sentence = isUnfinished
        ? `${owner} has no repository yet; the next start creates it.`
        : `${owner} has no repository at ${gitDir}; restore a backup.`
      findings.push({ check: 'repositories', sentence })
      continue
    }
    findings.push(...(await leftoversOf(owner, gitDir)))
    if (data.deep) findings.push(...(await damageOf(owner, gitDir, data.deep)))
  }
  for (const [name, folder] of data.storages) {
    if (existsSync(folder)) findings.push(...(await orphans(folder, paths)))
    else
      findings.push({
        check: 'storages',
        sentence: `The folder ${folder} of the storage "${name}" is not there.`,
      })
  }
  return findings
}

async function leftoversOf(owner: string, gitDir: string): Promise<Finding[]> {
  const files = [...(await leftoversIn(gitDir)), ...(await unfinishedFoldersOf(gitDir))]
  if (files.length === 0) return []
  const sentence = `${owner} has ${files.length} files of killed git programs, such as ${files[0]}.`
  return [{ check: 'locks', sentence, repair: () => removeLeftovers(files) }]
}

async function damageOf(owner: string, gitDir: string, git: Git): Promise<Finding[]> {
  const line = await damageIn(repoAt(git, gitDir, gitDir))
  if (line === undefined) return []
  return [{ check: 'objects', sentence: `${owner} is damaged: ${line}; restore a backup.` }]
}

function unfinishedFolder(path: string): Finding {
  const sentence = `The folder ${path} is left over from an interrupted creation or removal of a repository.`
  return { check: 'locks', sentence, repair: () => removeLeftovers([path]) }
}

/** Finds repositories without a row. They may be the only copy of their data, so they are never removed here. */
async function orphans(folder: string, paths: ReadonlySet<string>): Promise<Finding[]> {
  const findings: Finding[] = []
  const walk = async (dir: string, depth: number): Promise<void> => {
    for (const entry of await readdir(dir, { withFileTypes: true }).catch(() => [])) {
      const path = join(dir, entry.name)
      if (!entry.isDirectory() || paths.has(path) || entry.name.startsWith('.')) continue
      if (/\.git(\.|$)/.test(entry.name)) {
        const isOwned = [...paths].some(
          (prefix) => path.startsWith(`${prefix}.new-`) || path.startsWith(`${prefix}.deleted-`),
        )
        // A row names the repository that such a folder belongs to, and `leftoversOf` reports it.
        if (isOwned) continue
        if (UNFINISHED_FOLDER.test(entry.name)) findings.push(unfinishedFolder(path))
        else findings.push({ check: 'orphans', sentence: `No row names the repository ${path}.` })
      } else if (depth > 0) await walk(path, depth - 1)
    }
  }
  await walk(folder, DEPTH)
  return findings
}
