// Where the app is, and keys for it at once: textual-serve's own page waits for a click.
addEventListener("DOMContentLoaded", () => {
  const place = location.origin.replace(/^http/, "ws");
  document.getElementById("terminal").dataset.sessionWebsocketUrl = `${place}/ws`;
  const waiting = setInterval(() => {
    const keys = document.querySelector(".xterm-helper-textarea");
    if (keys && document.body.classList.contains("-first-byte")) { // the app answers
      keys.focus();
      clearInterval(waiting);
    }
  }, 50);
});
