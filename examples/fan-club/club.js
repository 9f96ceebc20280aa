// The links of index.html, and the `joinUrl` of a stage, name the community by its slug.
const slug = new URLSearchParams(location.search).get("c") ?? "mezcal-circle";
document.querySelector("odis-club").setAttribute("community", slug);
