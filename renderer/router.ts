import { createRouter, createWebHistory, type RouteLocationNormalized, type RouteRecordRaw } from 'vue-router'
import type { useSession } from './stores/session.ts'

declare module 'vue-router' {
  interface RouteMeta {
    /** Reachable without being signed in. */
    open?: boolean
    /** Stands alone, without sidebar and title bar. */
    bare?: boolean
    /** Draws its own `<main>`, next to a navigation column. */
    whole?: boolean
    /** Keeps the project navigation to icons, because the view needs the width. */
    iconsOnly?: boolean
    /** What a list with details holds: "Issues". */
    list?: string
    /** A detail that is shown next to its list in a wide window. */
    beside?: boolean
    /** A detail with a new view for every item: a form. */
    eachOwn?: boolean
  }
}

/**
 * What `views/<area>/routes.ts` exports. `routes` are addresses of the window; `projectRoutes` are addresses inside a
 * project, relative to its path: `''` is its overview, `-/tree/:rest(.*)` its files. Views of `projectRoutes` get the
 * project from `useProject()`.
 */
export type AreaRoutes = { routes?: RouteRecordRaw[]; projectRoutes?: RouteRecordRaw[] }

const areas = Object.values(import.meta.glob<AreaRoutes>('./views/*/routes.ts', { eager: true }))

/**
 * The addresses of the window are the `web_url`s of the API. Fixed addresses come first; every other one belongs to a
 * project, group or user, which the path view looks up.
 */
export const allRoutes = (): RouteRecordRaw[] => [
  ...areas.flatMap((area) => area.routes ?? []),
  {
    path: '/:full_path(.+?)',
    component: () => import('./views/paths/PathView.vue'),
    meta: { open: true, whole: true },
    children: [
      ...areas.flatMap((area) => area.projectRoutes ?? []),
      { path: '-/:unknown(.*)', component: () => import('./views/paths/ProjectPageNotFound.vue') },
    ],
  },
]

type SessionStore = ReturnType<typeof useSession>

/** Where a visitor has to go first: the first run, the sign-in, or nowhere. */
export const detour = (
  to: Pick<RouteLocationNormalized, 'path' | 'fullPath' | 'meta'>,
  session: Pick<SessionStore, 'firstRun' | 'user' | 'session'>,
) => {
  if (session.session === null) return true
  if (session.firstRun) return to.path === '/-/first_run' ? true : '/-/first_run'
  // An expired password or new terms come before everything else.
  if (session.user && session.session.duty && to.path !== '/-/duty' && !to.meta.open)
    return { path: '/-/duty', query: { redirect: to.fullPath } }
  if (session.user || to.meta.open) return true
  return { path: '/users/sign_in', query: to.fullPath === '/' ? {} : { redirect: to.fullPath } }
}

/** The router of the window, guarded by the session. */
export const makeRouter = (session: SessionStore) => {
  const router = createRouter({ history: createWebHistory(), routes: allRoutes() })
  router.beforeEach((to) => detour(to, session))
  return router
}
