console.error("hairpin: nothing is here yet");
