import { flag, inner, records, text, whole, type Fields } from '../client/fields.ts'
import { personIn } from '../people.ts'
import { repoPath, take, walk, type Work } from '../work.ts'
import type { Stage } from './stage.ts'

/** Stage 2, in three parts: labels, milestones and releases. */
export const labels: Stage = {
  name: 'labels',
  run: (work) =>
    walk(work, { path: `${repoPath(work)}/labels`, stat: 'label' }, (item) => {
      const key = keyOf(item)
      const title = text(item, 'name') ?? ''
      return take(work, { stat: 'label', mark: 'label', key, name: `Label ${title}` }, () =>
        work.landing.label({
          source_key: key,
          title,
          color: text(item, 'color'),
          description: text(item, 'description'),
        }),
      )
    }),
}

export const milestones: Stage = {
  name: 'milestones',
  run: (work) =>
    walk(
      work,
      { path: `${repoPath(work)}/milestones`, query: { state: 'all' }, stat: 'milestone' },
      (item) => {
        const key = keyOf(item)
        const title = text(item, 'title') ?? ''
        return take(work, { stat: 'milestone', mark: 'milestone', key, name: `Milestone ${title}` }, () =>
          work.landing.milestone({
            source_key: key,
            iid: whole(item, 'number') ?? 0,
            title,
            description: text(item, 'description'),
            state: text(item, 'state') === 'closed' ? 'closed' : 'active',
            due_date: text(item, 'due_on'),
            created_at: text(item, 'created_at') ?? work.ctx.now,
            updated_at: text(item, 'updated_at'),
          }),
        )
      },
    ),
}

export const releases: Stage = {
  name: 'releases',
  run: (work) =>
    walk(work, { path: `${repoPath(work)}/releases`, stat: 'release', counts: isOut }, async (item) => {
      // A draft is for its authors, and may have no tag yet.
      if (isOut(item)) await takeRelease(work, item)
    }),
}

const isOut = (item: Fields): boolean => !flag(item, 'draft')

async function takeRelease(work: Work, item: Fields): Promise<void> {
  const key = keyOf(item)
  const tag = text(item, 'tag_name') ?? ''
  await take(work, { stat: 'release', mark: 'release', key, name: `Release ${tag}` }, async () => {
    const created_at = text(item, 'created_at') ?? work.ctx.now
    return work.landing.release({
      source_key: key,
      tag,
      name: text(item, 'name'),
      description: text(item, 'body')?.trim() ? text(item, 'body') : `Release for tag ${tag}`,
      author: await personIn(work, item, 'author'),
      created_at,
      released_at: text(item, 'published_at') ?? created_at,
      links: records(item['assets']).map((asset) => ({
        name: text(asset, 'name') ?? '',
        url: text(asset, 'browser_download_url') ?? '',
      })),
    })
  })
}

/** What a record is known by: its id, or its number where a stranger left that out. */
export function keyOf(item: Fields): string {
  const name = text(item, 'name') ?? text(item, 'tag_name')
  return String(whole(item, 'id') ?? whole(item, 'number') ?? name ?? text(inner(item, 'source'), 'url'))
}
