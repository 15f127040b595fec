import { bool, choice, hash, int, list, text, timestamp } from '../../http/params.ts'
import { LINK_TYPES } from './entity.ts'

/** The path parameter with the tag of a release. */
export const tag_name = text({ max: 1100 }).describe('The tag of the release')

/** The parameter for the description as HTML. */
export const html = {
  include_html_description: bool().optional().describe('Include the description as HTML'),
}

/** The optional parameters of a link. */
export const linkOptions = {
  filepath: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('The path below the release that redirects to the link, such as `/binaries/tool`'),
  direct_asset_path: text({ max: 1024 }).nullable().optional().describe('Newer alias of `filepath`'),
  link_type: choice(...LINK_TYPES)
    .optional()
    .describe('The type of the link'),
}

const link = hash({
  name: text({ max: 4096 }).describe('The name, unique in the release'),
  url: text({ max: 8192 }).describe('The URL, unique in the release'),
  ...linkOptions,
})

/** The parameters of creating and updating a release. */
export const fields = {
  name: text({ max: 4096 }).nullable().optional().describe('The name. Default: the tag'),
  description: text().nullable().optional().describe('The description, in Markdown'),
  milestones: list(text({ max: 4096 }))
    .optional()
    .describe('The titles of the milestones. An empty list removes all'),
  milestone_ids: list(int({ min: 1 }))
    .optional()
    .describe('The IDs of the milestones, instead of their titles'),
  released_at: timestamp().optional().describe('The release date, past or future'),
}

/** The additional parameters of creating a release. */
export const newFields = {
  tag_name: text({ max: 1100 }).describe('The name of the tag'),
  tag_message: text().optional().describe('The message of a new tag, which makes it an annotated tag'),
  ref: text({ max: 1100 }).optional().describe('The branch, tag or commit that a new tag points to'),
  assets: hash({ links: list(link).optional().describe('The links of the release') })
    .optional()
    .describe('The assets of the release'),
}
