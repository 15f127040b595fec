import { childrenOf, oneOf, requiredText, shaOf, textOf, timeOf } from './checked.ts'
import { milestoneRecord } from './children/milestone.ts'
import { takeEach } from './children/part.ts'
import { relation, UnusableRecord, type Fields, type Target } from './relation.ts'

const TYPES = ['other', 'runbook', 'image', 'package'] as const

interface ReleaseToWrite {
  readonly id: number
  readonly tag: string
  readonly name: string
  readonly description: string | null
  readonly sha: string | null
  readonly author_id: number | null
  readonly released_at: string
  readonly created_at: string
  readonly updated_at: string
}

/** Releases with their links and milestones. Evidence is about this project and stays here. */
export const releases = relation({
  name: 'releases',
  of: ['project'],
  *records(from) {
    const { db, owner } = from
    const rows = db.each<ReleaseToWrite>('SELECT * FROM releases WHERE project_id = ? ORDER BY id', owner.id)
    for (const row of rows) {
      const milestones = db.many<{ id: number }>(
        'SELECT milestone_id AS id FROM release_milestones WHERE release_id = ? ORDER BY milestone_id',
        row.id,
      )
      yield {
        tag: row.tag,
        name: row.name,
        description: row.description,
        sha: row.sha,
        author_id: row.author_id,
        released_at: row.released_at,
        project_id: owner.id,
        created_at: row.created_at,
        updated_at: row.updated_at,
        links: db.many<Fields>(
          `SELECT url, name, filepath, link_type, created_at, updated_at FROM release_links
           WHERE release_id = ? ORDER BY id`,
          row.id,
        ),
        milestone_releases: milestones.map(({ id }) => ({ milestone: milestoneRecord(from, id) })),
      }
    }
  },
  count: ({ db, owner }) =>
    db.one<{ n: number }>('SELECT count(*) AS n FROM releases WHERE project_id = ?', owner.id)!.n,
  take(record, into) {
    const tag = requiredText(record, 'tag', 1024)
    const created_at = timeOf(record, 'created_at') ?? into.now
    const author = record['author_id']
    const id = into.insert('releases', {
      project_id: into.owner.id,
      tag,
      name: textOf(record, 'name', 1024) ?? tag,
      description: textOf(record, 'description'),
      sha: shaOf(record, 'sha'),
      author_id: typeof author === 'number' ? into.person(author).id : into.ghost_id,
      released_at: timeOf(record, 'released_at') ?? created_at,
      created_at,
      updated_at: timeOf(record, 'updated_at') ?? created_at,
    })
    takeEach(into, 'links', childrenOf(record, 'links'), (link) => takeLink(link, into, id))
    for (const one of childrenOf(record, 'milestone_releases')) {
      const milestone_id = into.milestone(one['milestone'])
      if (milestone_id !== null) into.link('release_milestones', { release_id: id, milestone_id })
    }
  },
})

function takeLink(record: Fields, into: Target, release_id: number): void {
  const url = requiredText(record, 'url', 2048)
  if (!/^(?:https?|ftp):\/\/[^\s/]/i.test(url))
    throw new UnusableRecord('url is blocked: Only allowed schemes are http, https, ftp')
  const filepath = textOf(record, 'filepath', 128)
  const created_at = timeOf(record, 'created_at') ?? into.now
  into.link('release_links', {
    release_id,
    name: requiredText(record, 'name', 255),
    url,
    filepath: filepath !== null && /^\/[^\s?#]*$/.test(filepath) ? filepath : null,
    link_type: oneOf(record, 'link_type', TYPES, 'other'),
    created_at,
    updated_at: timeOf(record, 'updated_at') ?? created_at,
  })
}
