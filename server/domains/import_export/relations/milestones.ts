import { childrenOf, requiredText } from './checked.ts'
import { takeEvents, thingOf } from './children/feed.ts'
import { milestonesWhere } from './children/milestone.ts'
import { relation, UnusableRecord } from './relation.ts'

/** The milestones of a project or group; those of groups above come with what has them. */
export const milestones = relation({
  name: 'milestones',
  of: ['project', 'group'],
  records: (from) => milestonesWhere(from, `m.${from.owner.kind}_id = ?`, from.owner.id),
  count: ({ db, owner }) =>
    db.one<{ count: number }>(
      `SELECT count(*) AS count FROM milestones WHERE ${owner.kind}_id = ?`,
      owner.id,
    )!.count,
  take: (record, into) => {
    const id = into.milestone(record)
    if (id === null) throw new UnusableRecord("title can't be blank")
    const { kind, id: project_id } = into.owner
    if (kind !== 'project') return
    const events = childrenOf(record, 'events')
    if (events.length > 0)
      takeEvents(
        events,
        into,
        { type: 'Milestone', id, project_id },
        thingOf(record, requiredText(record, 'title')),
      )
  },
})
