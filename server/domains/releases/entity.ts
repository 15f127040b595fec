import { z } from 'zod'

import { entity, time, type Presentation } from '../../http/entity.ts'
import { Milestone } from '../planning/milestones/entity.ts'
import { fullPath, type Project } from '../projects/index.ts'
import { commitFields, commitView } from '../repository/commits/entity.ts'
import { UserBasic } from '../users/entity.ts'
import { pathOfEvidence, pathOfRelease, sourcesAt, SOURCE_FORMATS } from './addresses/paths.ts'
import type { ReleaseView } from './service-read.ts'
import { isUpcoming, type ReleaseLinkRow } from './types.ts'

/** The types of links. */
export const LINK_TYPES = ['other', 'runbook', 'image', 'package'] as const
export type LinkType = (typeof LINK_TYPES)[number]

/** A link with the release that it belongs to. */
export interface LinkView {
  /** For the links of lists. */
  readonly id: number
  readonly link: ReleaseLinkRow
  readonly project: Project
  /** The tag of the release. Undefined for readers who cannot read the code. */
  readonly tag: string | undefined
}

const linkFields = {
  id: z.int(),
  name: z.string(),
  url: z.string(),
  direct_asset_url: z.string(),
  link_type: z.enum(LINK_TYPES),
  external: z.boolean(),
}

/** Presents a link, alone or in its release. `external` is true for a URL outside this instance. */
function linkView({ link, project, tag }: LinkView, at: Presentation) {
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

const basicFields = {
  tag_name: z.string().optional(),
  description: z.string().nullable(),
  name: z.string(),
  created_at: time(),
  released_at: time(),
  upcoming_release: z.boolean(),
}

/** Presents the basic fields. The name is often the tag, so readers who cannot read the code do not see it. */
function presentBasic({ release, rights }: ReleaseView, at: Presentation) {
  return {
    ...(rights.canReadCode ? { tag_name: release.tag } : {}),
    description: release.description,
    name: rights.canReadCode ? release.name : `Release-${release.id}`,
    created_at: release.created_at,
    released_at: release.released_at,
    upcoming_release: isUpcoming(release, at.now),
  }
}

/** A release with few fields, for lists of groups (spec administration 4.1). */
export const ReleaseBasic = entity('ReleaseBasic', basicFields, presentBasic)

const milestoneFields = {
  ...Milestone.fields,
  issue_stats: z.object({ total: z.int(), closed: z.int() }),
}

const url = z.string().optional()
const links: Record<keyof ReleaseLinks, typeof url> = {
  closed_issues_url: url,
  closed_merge_requests_url: url,
  edit_url: url,
  merged_merge_requests_url: url,
  opened_issues_url: url,
  opened_merge_requests_url: url,
  self: url,
}

/** A release (spec administration 4.3). Fields that contain the tag are only for readers who can read the code. */
export const Release = entity(
  'Release',
  {
    ...basicFields,
    description_html: z.string().optional(),
    author: UserBasic.schema.optional(),
    commit: z.object(commitFields).nullable().optional(),
    milestones: z.array(z.object(milestoneFields)).optional(),
    commit_path: z.string().optional(),
    tag_path: z.string().optional(),
    assets: z.object({
      count: z.int(),
      sources: z.array(z.object({ format: z.string(), url: z.string() })).optional(),
      links: z.array(z.object(linkFields)),
      evidence_file_path: z.string().nullable(),
    }),
    evidences: z.array(z.object({ sha: z.string(), filepath: z.string(), collected_at: time() })).optional(),
    _links: z.object(links),
  },
  (view: ReleaseView, at) => {
    const { author, description_html, rights } = view
    const { commit, ...paths } = presentCode(view, at)
    return {
      ...presentBasic(view, at),
      ...(description_html === undefined ? {} : { description_html }),
      ...(author ? { author: UserBasic.present(author, at) } : {}),
      ...(commit === undefined ? {} : { commit }),
      ...presentMilestones(view, at),
      ...paths,
      assets: presentAssets(view, at),
      ...(rights.canReadCode ? { evidences: presentEvidence(view, at) } : {}),
      _links: presentLinks(
        `${at.url}/${fullPath(view.project)}`,
        at.url + pathOfRelease(view.project, view.release.tag),
        view,
      ),
    }
  },
)

/** The links to pages about a release. */
interface ReleaseLinks {
  readonly closed_issues_url?: string
  readonly closed_merge_requests_url?: string
  readonly edit_url?: string
  readonly merged_merge_requests_url?: string
  readonly opened_issues_url?: string
  readonly opened_merge_requests_url?: string
  readonly self?: string
}

/** Presents the links to pages. None for readers who cannot read the code. `project` and `release` are URLs. */
function presentLinks(project: string, release: string, { rights, release: row }: ReleaseView): ReleaseLinks {
  if (!rights.canReadCode) return {}
  const list = (kind: string, state: string): string =>
    `${project}/-/${kind}?release_tag=${encodeURIComponent(row.tag)}&scope=all&state=${state}`
  return {
    closed_issues_url: list('issues', 'closed'),
    closed_merge_requests_url: list('merge_requests', 'closed'),
    ...(rights.canEdit ? { edit_url: `${release}/edit` } : {}),
    merged_merge_requests_url: list('merge_requests', 'merged'),
    opened_issues_url: list('issues', 'opened'),
    opened_merge_requests_url: list('merge_requests', 'opened'),
    self: release,
  }
}

/** Presents the evidence of a release. */
function presentEvidence({ evidences, project, release }: ReleaseView, at: Presentation) {
  return evidences.map(({ id, sha, collected_at }) => ({
    sha,
    filepath: `${at.url}${pathOfEvidence(project, release.tag, id)}`,
    collected_at,
  }))
}

/** Presents the assets of a release. Source archives are only for readers who can read the code. */
function presentAssets(view: ReleaseView, at: Presentation) {
  const { release, project, rights } = view
  const tag = rights.canReadCode ? release.tag : undefined
  const first = rights.canReadCode ? presentEvidence(view, at)[0] : undefined
  return {
    count: view.links.length + (tag === undefined ? 0 : SOURCE_FORMATS.length),
    ...(tag === undefined ? {} : { sources: sourcesAt(at.url, project, tag) }),
    links: view.links.map((link) => linkView({ id: link.id, link, project, tag }, at)),
    evidence_file_path: first?.filepath ?? null,
  }
}

/** Presents the milestones of a release, if the reader can read milestones. */
function presentMilestones({ milestones, rights }: ReleaseView, at: Presentation) {
  if (!rights.canReadMilestones || milestones.length === 0) return {}
  const milestoneViews = milestones.map(({ row, stats }) => ({
    ...Milestone.present(row, at),
    issue_stats: stats,
  }))
  return { milestones: milestoneViews }
}

/** Presents the commit and the tag of a release, for readers who can read the code. */
function presentCode({ release, project, rights, commit }: ReleaseView, at: Presentation) {
  if (!rights.canReadCode) return { commit: undefined }
  const path = fullPath(project)
  return {
    commit: commit && commitView({ commit, path }, at),
    ...(commit ? { commit_path: `/${path}/-/commit/${commit.id}` } : {}),
    tag_path: `/${path}/-/tags/${encodeURIComponent(release.tag)}`,
  }
}
