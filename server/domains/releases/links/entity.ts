import { z } from 'zod'

import { entity, type Presentation } from '../../../http/entity.ts'
import type { Project } from '../../projects/index.ts'
import { pathOfRelease } from '../addresses/paths.ts'
import type { ReleaseLinkRow } from '../types.ts'

/** Types of links. */
export const LINK_TYPES = ['other', 'runbook', 'image', 'package'] as const
export type LinkType = (typeof LINK_TYPES)[number]

/** A link with the release that it belongs to. */
export interface LinkView {
  /** For the links of lists. */
  readonly id: number
  readonly link: ReleaseLinkRow
  readonly project: Project
  /** Undefined for readers without access. */
  readonly tag: string | undefined
}

export const linkFields = {
  id: z.int(),
  name: z.string(),
  url: z.string(),
  direct_asset_url: z.string(),
  link_type: z.enum(LINK_TYPES),
  external: z.boolean(),
}

/** Fields of a link, alone and in its release. `external` is true for a URL outside this instance. */
export function linkView({ link, project, tag }: LinkView, at: Presentation) {
  const isDirect = link.filepath !== null && tag !== undefined
  return {
    id: link.id,
    name: link.name,
    url: link.url,
    direct_asset_url: isDirect
      ? `${at.url}${pathOfRelease(project, tag)}/downloads${link.filepath}`
      : link.url,
    link_type: link.link_type,
    external: !link.url.startsWith(`${at.url}/`),
  }
}

/** A link of a release (spec administration 4.3). */
export const ReleaseLink = entity('ReleaseLink', linkFields, linkView)
