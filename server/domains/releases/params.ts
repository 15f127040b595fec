import { bool, choice, hash, int, list, text, timestamp } from '../../http/params.ts'
import { LINK_TYPES } from './links/entity.ts'

/** The tag that names a release in addresses. */
export const tag_name = text({ max: 1100 }).describe('The tag of the release')

/** What can be shown in addition. */
export const html = {
  include_html_description: bool().optional().describe('Also the description as HTML'),
}

/** What can be said of a link in addition to its name and address. */
export const linkOptions = {
  filepath: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('Path below the release that leads to it, such as `/binaries/tool`'),
  direct_asset_path: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('The same; the newer name of `filepath`'),
  link_type: choice(...LINK_TYPES)
    .optional()
    .describe('What it leads to'),
}

const link = hash({
  name: text({ max: 4096 }).describe('Its name, only once in a release'),
  url: text({ max: 8192 }).describe('Its address, only once in a release'),
  ...linkOptions,
})

/** What can be said of a release when it is made and later. */
export const fields = {
  name: text({ max: 4096 }).nullable().optional().describe('Its name; the tag otherwise'),
  description: text().nullable().optional().describe('What is new, Markdown'),
  milestones: list(text({ max: 4096 }))
    .optional()
    .describe('Titles of the milestones that belong to it; none: an empty list'),
  milestone_ids: list(int({ min: 1 }))
    .optional()
    .describe('The same by id'),
  released_at: timestamp().optional().describe('When it came out or will'),
}

/** What can be said of a new release only. */
export const newFields = {
  tag_name: text({ max: 1100 }).describe('The tag it is for'),
  tag_message: text().optional().describe('Makes a new tag an annotated one with this message'),
  ref: text({ max: 1100 }).optional().describe('Branch, tag or commit that a new tag points to'),
  assets: hash({ links: list(link).optional().describe('Addresses that belong to it') })
    .optional()
    .describe('What belongs to it'),
}
