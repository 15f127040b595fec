import { createHash } from 'node:crypto'

import { awardRecords, importAwards } from './activity.ts'
import { childrenOf, textOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, VISIBILITY_NUMBERS, type ColumnMap, type StoredRow } from './columns.ts'
import { noteRecords, importNotes } from './notes.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'
import { countSnippets, snippetsOf, storageOf } from './store.ts'

type SnippetRow = StoredRow & { readonly id: number; readonly visibility: string; readonly files: string }

const FIELDS: ColumnMap<SnippetRow> = {
  title: field.required(255),
  // The bundle contains the files.
  content: field.constant(''),
  file_name: {
    write: (row) => row.files[0] ?? null,
    // The record has only the first file name. The bundle contains all files.
    read: (record, _target, name) => ({
      files: JSON.stringify([textOf(record, name, 255)].filter(Boolean)),
    }),
  },
  description: field.text(),
  visibility_level: {
    write: (row) => VISIBILITY_NUMBERS[row.visibility]!,
    read: (record, _target, name) => {
      const level = integerOf(record, name) ?? 0
      const entry = Object.entries(VISIBILITY_NUMBERS).find(([, value]) => value === level)
      if (!entry) throw new UnusableRecord('visibility_level is not included in the list')
      return { visibility: entry[0] }
    },
  },
  author_id: field.person(),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  award_emoji: field.computed<SnippetRow>((row, source) =>
    awardRecords(source, { type: 'Snippet', id: row.id }),
  ),
  notes: field.computed<SnippetRow>((row, source) => noteRecords(source, { type: 'Snippet', id: row.id })),
}

/** The name of a snippet's bundle, without extension: a digest of fields of its record (spec administration 6.2). */
export function bundleNameOf(record: Fields): string {
  const texts = ['title', 'description', 'created_at', 'updated_at'].map((name) => record[name] ?? '')
  return createHash('sha256').update(texts.join('')).digest('hex')
}

/** Snippets of a project with their notes. Their files are in bundles. */
export const snippets = relation({
  name: 'snippets',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of snippetsOf<SnippetRow>(source)) yield recordOf(FIELDS, row, source)
  },
  count: countSnippets,
  importRecord(record, target) {
    const columns = columnsOf(FIELDS, record, target)
    const project_id = target.owner.id
    const id = target.insert('snippets', {
      project_id,
      ...columns,
      repository_storage: storageOf(target.db, project_id),
      disk_path: '',
      default_branch: 'main',
    })
    // The path in the storage, which is the same as for new snippets of the project.
    target.update('snippets', id, { disk_path: `@snippets/projects/${project_id}/${id}.git` })
    const subject = { type: 'Snippet' as const, id, project_id }
    importAwards(childrenOf(record, 'award_emoji'), target, subject)
    importNotes(childrenOf(record, 'notes'), target, { ...subject, title: String(columns['title']) })
  },
})
