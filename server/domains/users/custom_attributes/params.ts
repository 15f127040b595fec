import { bool, dictionary } from '../../../http/params.ts'

/** Parameter to include attributes in lists and single records. For administrators only. */
export const withAttributesParam = {
  with_custom_attributes: bool().optional().describe('Add the custom attributes (administrators)'),
}

/** Parameter to filter lists by attributes. Every pair must match. For administrators only. */
export const attributeParams = {
  custom_attributes: dictionary()
    .optional()
    .describe('Only records with these custom attributes (administrators)'),
  ...withAttributesParam,
}
