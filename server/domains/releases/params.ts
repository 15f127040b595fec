import { bool, choice, hash, int, list, text, timestamp } from '../../http/params.ts'
import { LINK_TYPES } from './entity.ts'

/** The tag of the release in the path. */
export const tag_name = text({ max: 1100 }).describe('The tag of the release')

/** Optional parts of the response. */
export const html = {
  include_html_description: bool().optional().describe('Include the description as HTML'),
}

/** Optional fields of a link. */
export const linkOptions = {
  filepath: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('The path below the release that redirects to it, such as `/binaries/tool`'),
  direct_asset_path: text({ max: 1024 }).nullable().optional().describe('The newer name of `filepath`'),
  link_type: choice(...LINK_TYPES)
    .optional()
    .describe('The type of the link'),
}

const link = hash({
  name: text({ max: 4096 }).describe('The name, unique in the release'),
  url: text({ max: 8192 }).describe('The URL, unique in the release'),
  ...linkOptions,
})

/** Fields of a release for creation and update. */
export const fields = {
  name: text({ max: 4096 }).nullable().optional().describe('The name. Default: the tag'),
  description: text().nullable().optional().describe("What's new, Markdown"),
  milestones: list(text({ max: 4096 }))
    .optional()
    .describe('Titles of its milestones; an empty list for none'),
  milestone_ids: list(int({ min: 1 }))
    .optional()
    .describe('The same, by ID'),
  released_at: timestamp().optional().describe('The release date, past or future'),
}

/** Fields for the creation of a release. */
export const newFields = {
  tag_name: text({ max: 1100 }).describe('The name of the tag'),
  tag_message: text().optional().describe('Makes a new tag an annotated one with this message'),
  ref: text({ max: 1100 }).optional().describe('Branch, tag or commit that a new tag points to'),
  assets: hash({ links: list(link).optional().describe('The URLs of its links') })
    .optional()
    .describe('The assets of the release'),
}
