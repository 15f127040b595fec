/**
 * The widths of a window at which views change. Styles name them, as in `@media (--narrow)`; `adaptation.css` says what
 * changes. An area between two widths has no name, so that each width is said once.
 */
export const WIDTHS = {
  'very-wide': '(min-width: 1680px)',
  wide: '(min-width: 1200px)',
  'not-wide': '(max-width: 1199px)',
  'not-narrow': '(min-width: 1040px)',
  narrow: '(max-width: 1039px)',
  tight: '(max-width: 799px)',
  phone: '(max-width: 599px)',
} as const
export type Width = keyof typeof WIDTHS

/** Puts the widths into a style's media query. Throws for a name that does not exist. */
export const withWidths = (query: string): string =>
  query.replaceAll(/\(--([a-z-]+)\)/g, (_, name: string) => {
    if (!Object.hasOwn(WIDTHS, name)) throw new Error(`No width is called --${name}.`)
    return WIDTHS[name as Width]
  })
