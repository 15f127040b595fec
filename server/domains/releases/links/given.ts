import type { LinkType } from './entity.ts'
import type { LinkFields } from './rules.ts'

/** A link as it is asked for; clients of newer releases say `direct_asset_path`. */
export interface GivenLink {
  readonly name: string
  readonly url: string
  readonly filepath?: string | null | undefined
  readonly direct_asset_path?: string | null | undefined
  readonly link_type?: LinkType | undefined
}

/** A link to be stored. */
export interface NewLink extends LinkFields {
  readonly link_type: LinkType
}

/** The path that a request gives a link: null for none, undefined where it does not speak of it. */
export function givenPath(
  given: Pick<Partial<GivenLink>, 'filepath' | 'direct_asset_path'>,
): string | null | undefined {
  const path = given.direct_asset_path ?? given.filepath
  if (path !== undefined && path !== null) return path === '' ? null : path
  return given.filepath === null || given.direct_asset_path === null ? null : undefined
}

/** A link with what is usual for what was not said. */
export function givenLink(given: GivenLink): NewLink {
  return {
    name: given.name,
    url: given.url,
    filepath: givenPath(given) ?? null,
    link_type: given.link_type ?? 'other',
  }
}
