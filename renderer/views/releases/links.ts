import { api } from '../../api/client.ts'
import type { LinkType, Release, ReleaseLink } from './release.ts'

/** A drafted link; `stored` is the stored one. */
export type DraftLink = {
  key: number
  name: string
  url: string
  path: string
  type: LinkType
  stored: ReleaseLink | null
}

/** The permanent path of a link below its release; empty without one. */
export const pathOfLink = (link: Pick<ReleaseLink, 'url' | 'direct_asset_url'>): string => {
  const at = link.direct_asset_url.indexOf('/downloads/')
  if (link.direct_asset_url === link.url || at < 0) return ''
  return link.direct_asset_url.slice(at + '/downloads'.length)
}

/** The links that are not empty. */
export const written = (links: readonly DraftLink[]): DraftLink[] =>
  links.filter((link) => link.name.trim() !== '' || link.url.trim() !== '')

const fieldsOf = (link: DraftLink) => ({
  name: link.name.trim(),
  url: link.url.trim(),
  filepath: link.path.trim() || null,
  link_type: link.type,
})

/** The links of a new release. */
export const newLinks = (links: readonly DraftLink[]) => written(links).map(fieldsOf)

/** The changes from the stored to the drafted links of a release; deletions come first. */
export const linkSteps = (drafts: readonly DraftLink[], release: Release) => {
  const kept = written(drafts)
  const gone = release.assets.links.filter((link) => !kept.some((draft) => draft.stored?.id === link.id))
  const changed = kept.filter(({ stored, ...draft }) => {
    if (stored === null) return false
    return (
      draft.name.trim() !== stored.name ||
      draft.url.trim() !== stored.url ||
      draft.path.trim() !== pathOfLink(stored) ||
      draft.type !== stored.link_type
    )
  })
  return { gone, changed, added: kept.filter((draft) => draft.stored === null) }
}

/** Makes the stored links of a release the drafted ones. True if that changed something. */
export const saveLinks = async (
  drafts: readonly DraftLink[],
  release: Release,
  at: { id: number; tag_name: string },
): Promise<boolean> => {
  const { gone, changed, added } = linkSteps(drafts, release)
  for (const link of gone)
    await api('DELETE /projects/:id/releases/:tag_name/assets/links/:link_id', { ...at, link_id: link.id })
  for (const draft of changed)
    await api('PUT /projects/:id/releases/:tag_name/assets/links/:link_id', {
      ...at,
      link_id: draft.stored!.id,
      ...fieldsOf(draft),
    })
  // The newest one is first, so they are added in reverse order.
  for (const draft of added.toReversed())
    await api('POST /projects/:id/releases/:tag_name/assets/links', { ...at, ...fieldsOf(draft) })
  return gone.length + changed.length + added.length > 0
}
