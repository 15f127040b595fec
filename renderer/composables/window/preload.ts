import type { Router } from 'vue-router'

/** Fetches the code of the views that a path names, before they are needed. */
export const preload = (router: Router, path: string) => {
  for (const { components } of router.resolve(path).matched)
    for (const view of Object.values(components ?? {}))
      if (typeof view === 'function') void (view as () => Promise<unknown>)().catch(() => undefined)
}

/** Fetches the code of a view when the pointer or the focus reaches a link to it, so that a click finds it loaded. */
export const preloadLinks = (router: Router) => {
  let last: Element | null = null
  const onReach = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
    if (link === last) return
    last = link
    if (link?.origin === location.origin) preload(router, link.pathname)
  }
  document.addEventListener('pointerover', onReach, { passive: true })
  document.addEventListener('focusin', onReach)
}
