import { shaOf } from './checked.ts'
import { noteRecord, SELECT_NOTES, takeNote, type NoteToWrite } from './children/notes.ts'
import { relation, UnusableRecord } from './relation.ts'

const ON_COMMITS = 'n.project_id = ? AND n.commit_id IS NOT NULL AND n.noteable_id IS NULL'

/** What was written under commits. */
export const commit_notes = relation({
  name: 'commit_notes',
  of: ['project'],
  *records(from) {
    const rows = from.db.each<NoteToWrite>(
      `${SELECT_NOTES} WHERE ${ON_COMMITS} ORDER BY n.commit_id, n.id`,
      from.owner.id,
    )
    for (const row of rows) yield noteRecord(from, row)
  },
  count: ({ db, owner }) =>
    db.one<{ count: number }>(`SELECT count(*) AS count FROM notes n WHERE ${ON_COMMITS}`, owner.id)!.count,
  take: (record, into) => {
    const sha = shaOf(record, 'commit_id')
    if (sha === null) throw new UnusableRecord("commit_id can't be blank")
    takeNote(record, into, { type: 'Commit', sha, project_id: into.owner.id })
  },
})
