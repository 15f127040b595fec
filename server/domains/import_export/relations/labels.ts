import { labelsWhere, takePriorities } from './children/label_links.ts'
import { relation } from './relation.ts'
import { UnusableRecord } from './relation.ts'

/** The labels of a project or group with how a project ranks them; those of groups above come with what has them. */
export const labels = relation({
  name: 'labels',
  of: ['project', 'group'],
  records: (from) => labelsWhere(from, `l.${from.owner.kind}_id = ?`, from.owner.id),
  count: ({ db, owner }) =>
    db.one<{ count: number }>(`SELECT count(*) AS count FROM labels WHERE ${owner.kind}_id = ?`, owner.id)!
      .count,
  take: (record, into) => {
    const id = into.label(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    takePriorities(record, into, id)
  },
})
