import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Reader } from '../../../../server/db/reader.ts'
import { importTree } from '../../../../server/domains/import_export/projects/import/engine/import-tree.ts'
import { RELATIONS } from '../../../../server/domains/import_export/relations/index.ts'
import type { Fields, Owner, Source } from '../../../../server/domains/import_export/relations/relation.ts'
import type { TestUser, World } from '../../../support/world.ts'

/** A source of records: the current database, without code unless the test has some. */
export function sourceOf(w: World, owner: Owner | number, code?: Source['code']): Source & { close(): void } {
  const db = new Reader(join(w.dataDir, 'deskforge.db'))
  return {
    db,
    owner: typeof owner === 'number' ? { kind: 'project', id: owner } : owner,
    includesGroupMembers: true,
    url: w.url,
    code: code ?? {
      async *diffs(pairs) {
        for (const _ of pairs) yield null
      },
      async *commits(ids) {
        for (const _ of ids) yield null
      },
    },
    close: () => db.close(),
  }
}

/** The records of one relation, by the name of its file, as an export writes them. */
export async function recordsOf(
  w: World,
  owner: Owner | number,
  name: string,
  code?: Source['code'],
): Promise<Fields[]> {
  const relation = RELATIONS.find((relation) => relation.name === name)
  if (!relation) throw new Error(`No relation is called ${name}.`)
  const source = sourceOf(w, owner, code)
  try {
    const records: Fields[] = []
    // A file contains JSON, which has no dates or undefined values.
    for await (const record of relation.records(source))
      records.push(JSON.parse(JSON.stringify(record)) as Fields)
    return records
  } finally {
    source.close()
  }
}

/** Records by relation; `project` (or `group`) has the attributes of the owner itself. A text is written as a line, unchanged. */
export type Tree = Readonly<Record<string, readonly (Fields | string)[]>>

/** An entry of the list of records that could not be imported. */
export interface FailedRow {
  relation_name: string
  line_number: number
  exception_class: string
  exception_message: string
}

/** Imports records into an existing owner, with the real thread and writer. */
export async function takeInto(
  w: World,
  owner: Owner | number,
  tree: Tree,
  { importer = w.root, overrides }: { importer?: TestUser; overrides?: Record<string, unknown> } = {},
) {
  const target = typeof owner === 'number' ? ({ kind: 'project', id: owner } as const) : owner
  const top = mkdtempSync(join(tmpdir(), 'deskforge-tree-'))
  const folder = join(top, target.kind)
  try {
    writeTree(folder, target.kind, tree)
    const ctx = w.ctx()
    const options = { owner: target, folder, importer: importer.id, ...(overrides ? { overrides } : {}) }
    const taken = await importTree(ctx, options)
    const failed = ctx.db.many<FailedRow>(
      `SELECT relation_name, line_number, exception_class, exception_message FROM import_failures
       WHERE ${target.kind}_id = ? ORDER BY id`,
      target.id,
    )
    return { ...taken, failed }
  } finally {
    rmSync(top, { recursive: true, force: true })
  }
}

/** Writes the files of a tree as an unpacked archive contains them. */
export function writeTree(folder: string, kind: Owner['kind'], tree: Tree): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, records] of Object.entries(tree)) {
    const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)))
    if (name === kind) writeFileSync(`${folder}.json`, lines.join('\n'))
    else writeFileSync(join(folder, `${name}.ndjson`), lines.map((line) => `${line}\n`).join(''))
  }
}
