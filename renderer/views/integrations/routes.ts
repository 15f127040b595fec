import type { RouteRecordRaw } from 'vue-router'

export const routes: RouteRecordRaw[] = [
  {
    path: '/-/profile/chat_names/new',
    component: () => import('./ConnectChatView.vue'),
    meta: { bare: true },
  },
]
