/** The types of `browser.mjs`. */
export function findBrowser(): string | undefined
export function installBrowser(): string | undefined
