import { describe, expect, it } from 'vitest'

import { linkSteps, newLinks, pathOfLink, type DraftLink } from '../../renderer/views/releases/links.ts'
import {
  localTime,
  releaseUrl,
  stageOf,
  workOf,
  type Release,
  type ReleaseLink,
} from '../../renderer/views/releases/release.ts'

const link = (id: number, more: Partial<ReleaseLink> = {}): ReleaseLink => ({
  id,
  name: `l${id}`,
  url: `https://x.test/${id}`,
  direct_asset_url: `https://x.test/${id}`,
  link_type: 'other',
  external: true,
  ...more,
})
const draft = (stored: ReleaseLink | null, more: Partial<DraftLink> = {}): DraftLink => ({
  key: stored?.id ?? 0,
  name: stored?.name ?? '',
  url: stored?.url ?? '',
  path: stored ? pathOfLink(stored) : '',
  type: stored?.link_type ?? 'other',
  stored,
  ...more,
})

describe('the links of an edited release', () => {
  const direct = link(2, { direct_asset_url: 'http://here/a/b/-/releases/rel%2F1/downloads/bin/tool' })

  it('have the path at the end of their direct URL', () => {
    expect(pathOfLink(direct)).toBe('/bin/tool')
    expect(
      pathOfLink(link(1, { url: 'https://x/downloads/a', direct_asset_url: 'https://x/downloads/a' })),
    ).toBe('')
  })

  it('are deleted, updated and added', () => {
    const stored = [link(1), direct, link(3)]
    const release = { assets: { links: stored } } as unknown as Release
    const drafts = [
      draft(link(1), { name: ' l1 ' }),
      draft(direct, { path: '' }),
      draft(null),
      draft(null, { name: 'new', url: 'https://n.test' }),
    ]
    const { gone, changed, added } = linkSteps(drafts, release)
    expect(gone.map((link) => link.id)).toEqual([3])
    expect(changed.map((link) => link.stored?.id)).toEqual([2])
    expect(added.map((link) => link.name)).toEqual(['new'])
    expect(newLinks(drafts.slice(2))).toEqual([
      { name: 'new', url: 'https://n.test', filepath: null, link_type: 'other' },
    ])
  })
})

describe('a release', () => {
  it('is described by its date', () => {
    const dates = (released_at: string, upcoming_release = false) =>
      stageOf({ released_at, upcoming_release, created_at: '2026-11-22T09:00:00.000Z' })
    expect(dates('2027-01-01T00:00:00.000Z', true)).toBe('Upcoming')
    expect(dates('2026-11-22T08:59:59.999Z')).toBe('Historical')
    expect(dates('2026-11-22T09:00:00.000Z')).toBeNull()
  })

  it('has a URL in which its tag is one segment', () => {
    expect(releaseUrl({ path_with_namespace: 'a/b' }, 'rel/1.0 x', '/edit')).toBe(
      '/a/b/-/releases/rel%2F1.0%20x/edit',
    )
  })

  it('sums up the issues of its milestones, and shows local times', () => {
    const milestones = [{ issue_stats: { total: 3, closed: 1 } }, { issue_stats: { total: 2, closed: 2 } }]
    expect(workOf({ milestones } as unknown as Release)).toEqual({ total: 5, closed: 3 })
    expect(workOf({})).toEqual({ total: 0, closed: 0 })
    expect(new Date(localTime('2026-01-02T03:04:05.000Z')).toISOString()).toBe('2026-01-02T03:04:00.000Z')
  })
})
