import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { objectParts } from '../lib/lfs.ts'
import type { Finding, ExaminedData } from './finding.ts'
import { avatars, lfsObjects, projectUploads, storedFiles } from './store.ts'

/** One kind of stored file: its folder, and the files in it that rows refer to. */
interface FileKind {
  readonly name: string
  readonly folder: string
  /** Paths below the folder, with the size in bytes where the row has it. */
  readonly expected: readonly { readonly path: string; readonly size: number | null }[]
}

/** Finds missing and truncated files of rows, and files without a row. */
export function checkFiles(data: ExaminedData): Finding[] {
  return kindsOf(data).flatMap(checkKind)
}

function kindsOf({ db, paths }: ExaminedData): FileKind[] {
  const stored = (table: 'ci_artifacts' | 'secure_files') =>
    storedFiles(db, table).map((row) => ({
      path: join(String(row.project_id), row.stored_as),
      size: row.size,
    }))
  return [
    { name: 'artifact', folder: paths.artifacts, expected: stored('ci_artifacts') },
    {
      name: 'secure file',
      folder: paths.secureFiles,
      // A sealed file is longer than the upload.
      expected: stored('secure_files').map(({ path }) => ({ path, size: null })),
    },
    {
      name: 'large file',
      folder: paths.lfs,
      expected: lfsObjects(db).map(({ oid, size }) => ({ path: join(...objectParts(oid)), size })),
    },
    {
      name: 'upload',
      folder: join(paths.uploads, 'project'),
      expected: projectUploads(db).map((row) => ({
        path: join(String(row.project_id), row.secret, row.file_name),
        size: row.size,
      })),
    },
    {
      name: 'picture',
      folder: join(paths.uploads, '-', 'system'),
      expected: avatars(db).map(({ kind, id, avatar }) => ({
        path: join(kind, 'avatar', String(id), avatar),
        size: null,
      })),
    },
  ]
}

function checkKind({ name, folder, expected }: FileKind): Finding[] {
  const findings: Finding[] = []
  const paths = new Set(expected.map(({ path }) => path))
  for (const { path, size } of expected) {
    const stats = statSync(join(folder, path), { throwIfNoEntry: false })
    if (!stats?.isFile())
      findings.push({
        check: 'files',
        sentence: `The ${name} ${join(folder, path)} is not there; restore a backup.`,
      })
    else if (size !== null && stats.size !== size)
      findings.push({
        check: 'files',
        sentence: `The ${name} ${join(folder, path)} has ${stats.size} bytes, not ${size}; restore a backup.`,
      })
  }
  for (const path of filesBelow(folder))
    if (!paths.has(path) && !(name === 'picture' && !/^(user|group|project|topic)\//.test(path)))
      findings.push({ check: 'orphans', sentence: `No row names the ${name} ${join(folder, path)}.` })
  return findings
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const walk = (below: string): string[] =>
    readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const path = join(below, entry.name)
      return entry.isDirectory() ? walk(path) : [path]
    })
  return walk('')
}
