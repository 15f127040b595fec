import { childrenOf, requiredText, textOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type Stored } from './columns.ts'
import { milestoneRecord } from './milestones.ts'
import { relation, importEach, UnusableRecord } from './relation.ts'
import { partsOf } from './store.ts'

type WithId = Stored & { readonly id: number }

const LINK_FIELDS: ColumnMap = {
  url: field.column((record, name) => {
    const url = requiredText(record, name, 2048)
    if (!/^(?:https?|ftp):\/\/[^\s/]/i.test(url))
      throw new UnusableRecord('url is blocked: Only allowed schemes are http, https, ftp')
    return url
  }),
  name: field.required(255),
  filepath: field.column((record, name) => {
    const path = textOf(record, name, 128)
    return path !== null && /^\/[^\s?#]*$/.test(path) ? path : null
  }),
  link_type: field.choice(['other', 'runbook', 'image', 'package'], 'other'),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

const FIELDS: ColumnMap<WithId> = {
  tag: field.required(1024),
  name: field.column((record, name) => textOf(record, name, 1024) ?? requiredText(record, 'tag', 1024)),
  description: field.text(),
  sha: field.sha(),
  author_id: field.column((record, name, into) => {
    const author = record[name]
    return typeof author === 'number' ? into.person(author).id : into.ghost_id
  }),
  released_at: field.column(
    (record, name, into) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? into.now,
  ),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  links: field.written<WithId>((row, from) =>
    partsOf(from, 'release_links', { key: 'release_id', id: row.id }).map((link) =>
      recordOf(LINK_FIELDS, link, from),
    ),
  ),
  milestone_releases: field.written<WithId>((row, from) =>
    partsOf<{ milestone_id: number }>(from, 'release_milestones', {
      key: 'release_id',
      id: row.id,
      order: 'milestone_id',
    }).map(({ milestone_id }) => ({ milestone: milestoneRecord(from, milestone_id) })),
  ),
}

/** Releases with their links and milestones. Evidence is not exported. */
export const releases = relation({
  name: 'releases',
  of: ['project'],
  ...rowsAs('releases', FIELDS),
  importRecord(record, into) {
    const columns = columnsOf(FIELDS, record, into)
    const release_id = into.insert('releases', { project_id: into.owner.id, ...columns })
    importEach(into, 'links', childrenOf(record, 'links'), (link) => {
      into.link('release_links', { release_id, ...columnsOf(LINK_FIELDS, link, into) })
    })
    for (const child of childrenOf(record, 'milestone_releases')) {
      const milestone_id = into.milestone(child['milestone'])
      if (milestone_id !== null) into.link('release_milestones', { release_id, milestone_id })
    }
  },
})
