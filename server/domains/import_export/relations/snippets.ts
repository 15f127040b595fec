import { createHash } from 'node:crypto'

import { childrenOf, requiredText, textOf, timeOf, wholeOf } from './checked.ts'
import { awardRecords, takeAwards } from './children/award_emoji.ts'
import { noteRecords, takeNotes } from './children/notes.ts'
import { relation, UnusableRecord, type Fields } from './relation.ts'

const VISIBILITIES = { private: 0, internal: 10, public: 20 } as const
type Visibility = keyof typeof VISIBILITIES

interface SnippetToWrite {
  readonly id: number
  readonly title: string
  readonly description: string | null
  readonly visibility: Visibility
  readonly files: string
  readonly author_id: number
  readonly created_at: string
  readonly updated_at: string
}

/** Name of the bundle of a snippet, without its ending: a digest of what its record says (spec administration 6.2). */
export function bundleNameOf(record: Fields): string {
  const texts = ['title', 'description', 'created_at', 'updated_at'].map((name) => record[name] ?? '')
  return createHash('sha256').update(texts.join('')).digest('hex')
}

/** The record of a snippet without what hangs from it. */
export function snippetRecord(row: SnippetToWrite, projectId: number): Fields {
  const [first] = JSON.parse(row.files) as string[]
  return {
    title: row.title,
    // The files are in its bundle.
    content: '',
    file_name: first ?? null,
    description: row.description,
    visibility_level: VISIBILITIES[row.visibility],
    author_id: row.author_id,
    project_id: projectId,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** Snippets of a project with what is said about them. Their files come apart, in bundles. */
export const snippets = relation({
  name: 'snippets',
  of: ['project'],
  *records(from) {
    const rows = from.db.each<SnippetToWrite>(
      "SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'ready' ORDER BY id",
      from.owner.id,
    )
    for (const row of rows) {
      const subject = { type: 'Snippet' as const, id: row.id }
      yield {
        ...snippetRecord(row, from.owner.id),
        award_emoji: awardRecords(from, subject),
        notes: noteRecords(from, subject),
      }
    }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>(
      "SELECT count(*) AS n FROM snippets WHERE project_id = ? AND repository_state = 'ready'",
      owner.id,
    )!.n,
  take(record, into) {
    const title = requiredText(record, 'title', 255)
    const created_at = timeOf(record, 'created_at') ?? into.now
    const id = into.insert('snippets', {
      project_id: into.owner.id,
      author_id: into.person(record['author_id']).id,
      title,
      description: textOf(record, 'description'),
      visibility: visibilityOf(record),
      // Those that are there come with its bundle; this one is shown first.
      files: JSON.stringify([textOf(record, 'file_name', 255)].filter(Boolean)),
      repository_storage: into.db.one<{ name: string }>(
        'SELECT repository_storage AS name FROM projects WHERE id = ?',
        into.owner.id,
      )!.name,
      disk_path: '',
      default_branch: 'main',
      created_at,
      updated_at: timeOf(record, 'updated_at') ?? created_at,
    })
    // Below the folder that goes with the project.
    into.update('snippets', id, { disk_path: `@snippets/projects/${into.owner.id}/${id}.git` })
    const subject = { type: 'Snippet' as const, id, project_id: into.owner.id }
    takeAwards(childrenOf(record, 'award_emoji'), into, subject)
    takeNotes(childrenOf(record, 'notes'), into, { ...subject, title })
  },
})

function visibilityOf(record: Fields): Visibility {
  const level = wholeOf(record, 'visibility_level') ?? 0
  const found = Object.entries(VISIBILITIES).find(([, value]) => value === level)
  if (!found) throw new UnusableRecord('visibility_level is not included in the list')
  return found[0] as Visibility
}
