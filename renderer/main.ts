import { PiniaColada } from '@pinia/colada'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { translateErrors } from './api/errors.ts'
import { dropTicket } from './api/page-token.ts'
import { preload, preloadLinks } from './composables/window/preload.ts'
import { platform } from './composables/window/usePlatform.ts'
import { locale } from './locales/locale.ts'
import { makeRouter } from './router.ts'
import { useSession } from './stores/session.ts'
import './styles/index.css'

/** Events of the stream invalidate answers; this is only a fallback. */
const FRESH_MS = 30_000

// The translations load with the first error. If they cannot, it stays English.
if (locale !== 'en')
  translateErrors((...error) =>
    import('./locales/server-errors.ts').then(
      (texts) => texts.translate(...error),
      () => undefined,
    ),
  )

const start = async () => {
  dropTicket()
  document.documentElement.lang = locale
  document.documentElement.dataset.platform = platform()
  const pinia = createPinia()
  const app = createApp(App)
  app.use(pinia)
  app.use(PiniaColada, { queryOptions: { staleTime: FRESH_MS, refetchOnWindowFocus: true } })
  const session = useSession(pinia)
  const router = makeRouter(session)
  // The view's code loads while the session is requested.
  preload(router, location.pathname)
  // The frame shows that the instance does not respond, and retries.
  await session.load().catch(() => undefined)
  app.use(router)
  preloadLinks(router)
  app.mount('#app')
}

void start()
