import { bool, dictionary } from '../../../http/params.ts'

/** Parameters of lists and single records that can show attributes; administrators only. */
export const withAttributesParam = {
  with_custom_attributes: bool().optional().describe('Add the custom attributes (administrators)'),
}

/** Parameters of lists that can be filtered by attributes; every pair must match; administrators only. */
export const attributeParams = {
  custom_attributes: dictionary()
    .optional()
    .describe('Only records with these custom attributes (administrators)'),
  ...withAttributesParam,
}
