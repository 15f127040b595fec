import { createHash } from 'node:crypto'

import { awardRecords, importAwards } from './activity.ts'
import { childrenOf, textOf, wholeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, VISIBILITY_NUMBERS, type ColumnMap, type Stored } from './columns.ts'
import { noteRecords, importNotes } from './notes.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'
import { countSnippets, snippetsOf, storageOf } from './store.ts'

type SnippetRow = Stored & { readonly id: number; readonly visibility: string; readonly files: string }

const FIELDS: ColumnMap<SnippetRow> = {
  title: field.required(255),
  // The files are in its bundle.
  content: field.always(''),
  file_name: {
    write: (row) => row.files[0] ?? null,
    // The bundle has the files; this is the first one.
    read: (record, _into, name) => ({
      files: JSON.stringify([textOf(record, name, 255)].filter(Boolean)),
    }),
  },
  description: field.text(),
  visibility_level: {
    write: (row) => VISIBILITY_NUMBERS[row.visibility]!,
    read: (record, _into, name) => {
      const level = wholeOf(record, name) ?? 0
      const entry = Object.entries(VISIBILITY_NUMBERS).find(([, value]) => value === level)
      if (!entry) throw new UnusableRecord('visibility_level is not included in the list')
      return { visibility: entry[0] }
    },
  },
  author_id: field.person(),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  award_emoji: field.written<SnippetRow>((row, from) => awardRecords(from, { type: 'Snippet', id: row.id })),
  notes: field.written<SnippetRow>((row, from) => noteRecords(from, { type: 'Snippet', id: row.id })),
}

/** The name of a snippet's bundle without its ending: a digest of its record (spec administration 6.2). */
export function bundleNameOf(record: Fields): string {
  const texts = ['title', 'description', 'created_at', 'updated_at'].map((name) => record[name] ?? '')
  return createHash('sha256').update(texts.join('')).digest('hex')
}

/** Snippets of a project with their notes. Their files are in bundles. */
export const snippets = relation({
  name: 'snippets',
  of: ['project'],
  *records(from) {
    for (const row of snippetsOf<SnippetRow>(from)) yield recordOf(FIELDS, row, from)
  },
  count: countSnippets,
  importRecord(record, into) {
    const columns = columnsOf(FIELDS, record, into)
    const project_id = into.owner.id
    const id = into.insert('snippets', {
      project_id,
      ...columns,
      repository_storage: storageOf(into.db, project_id),
      disk_path: '',
      default_branch: 'main',
    })
    // Inside the storage folder of the project.
    into.update('snippets', id, { disk_path: `@snippets/projects/${project_id}/${id}.git` })
    const subject = { type: 'Snippet' as const, id, project_id }
    importAwards(childrenOf(record, 'award_emoji'), into, subject)
    importNotes(childrenOf(record, 'notes'), into, { ...subject, title: String(columns['title']) })
  },
})
