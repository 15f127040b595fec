import { childrenOf, requiredText, textOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, rowsAs, type ColumnMap, type StoredRow } from './columns.ts'
import { milestoneRecord } from './milestones.ts'
import { relation, importEach, UnusableRecord } from './relation.ts'
import { dependentRows } from './store.ts'

type WithId = StoredRow & { readonly id: number }

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
  author_id: field.column((record, name, target) => {
    const author = record[name]
    return typeof author === 'number' ? target.person(author).id : target.ghost_id
  }),
  released_at: field.column(
    (record, name, target) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? target.now,
  ),
  project_id: field.ownerId(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  links: field.computed<WithId>((row, source) =>
    dependentRows(source, 'release_links', { key: 'release_id', id: row.id }).map((link) =>
      recordOf(LINK_FIELDS, link, source),
    ),
  ),
  milestone_releases: field.computed<WithId>((row, source) =>
    dependentRows<{ milestone_id: number }>(source, 'release_milestones', {
      key: 'release_id',
      id: row.id,
      order: 'milestone_id',
    }).map(({ milestone_id }) => ({ milestone: milestoneRecord(source, milestone_id) })),
  ),
}

/** Releases with their links and milestones. Evidence is not exported. */
export const releases = relation({
  name: 'releases',
  ownerKinds: ['project'],
  ...rowsAs('releases', FIELDS),
  importRecord(record, target) {
    const columns = columnsOf(FIELDS, record, target)
    const release_id = target.insert('releases', { project_id: target.owner.id, ...columns })
    importEach(target, 'links', childrenOf(record, 'links'), (link) => {
      target.link('release_links', { release_id, ...columnsOf(LINK_FIELDS, link, target) })
    })
    for (const child of childrenOf(record, 'milestone_releases')) {
      const milestone_id = target.milestone(child['milestone'])
      if (milestone_id !== null) target.link('release_milestones', { release_id, milestone_id })
    }
  },
})
