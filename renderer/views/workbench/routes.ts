import type { RouteRecordRaw } from 'vue-router'

/** The workbench: what people use who write clients, bots and CI scripts against the instance. */
export const routes: RouteRecordRaw[] = [
  {
    path: '/-/workbench',
    redirect: '/-/workbench/clock',
    component: () => import('./WorkbenchView.vue'),
    meta: { whole: true },
    children: [
      { path: '/-/workbench/clock', component: () => import('./ClockView.vue') },
      { path: '/-/workbench/snapshots', component: () => import('./SnapshotsView.vue') },
    ],
  },
]
